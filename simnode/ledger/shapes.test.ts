import { expect } from 'chai'
import { readRecordedEvents, recordingFiles } from '../replay/recording.ts'
import type { CompositeType, EventShape } from './encoding/cadence.ts'
import { readCcf } from './encoding/ccf-reader.test-support.ts'
import { ledgerChain } from './ledger-node.ts'
import { cycleLength } from './world/cycle.ts'

/**
 * The type's name without its contract's account: the simulated chain's contracts have recorded
 * event shapes under other names.
 */
function nameOf(type: string): string {
  return type
    .split('.')
    .slice(type.startsWith('A.') ? 3 : 0)
    .join('.')
}

/** Events without a recording; their fields are those of onflow/flow-core-contracts. */
const unrecorded = new Set(['EpochCommit'])

/** Recorded events by full type and by name. */
function recordedShapes(): Map<string, CompositeType> {
  const shapes = new Map<string, CompositeType>()
  for (const folder of ['base', 'fork'] as const) {
    for (const file of recordingFiles(folder)) {
      for (const { type, ccf } of readRecordedEvents(folder, file)) {
        if (shapes.has(type)) continue
        const shape = readCcf(ccf).type as CompositeType
        shapes.set(type, shape)
        shapes.set(nameOf(type), shapes.get(nameOf(type)) ?? shape)
      }
    }
  }
  return shapes
}

/** Event shapes of the first cycles. */
function simulatedShapes(): Set<EventShape> {
  const chain = ledgerChain()
  const shapes = new Set<EventShape>()
  for (let height = 0; height < 3 * cycleLength; height++) {
    const { userTransactions, systemTransactions } = chain.draft(height)
    for (const { events } of [...userTransactions, ...systemTransactions])
      for (const { shape } of events) shapes.add(shape)
  }
  return shapes
}

/** Without undefined properties. */
function plain(fields: CompositeType['fields'] | undefined): unknown {
  return JSON.parse(JSON.stringify(fields ?? null))
}

describe('events of the simulated chain', () => {
  it('have the fields of recorded events', () => {
    const recorded = recordedShapes()
    const shapes = simulatedShapes()
    for (const { id, fields } of shapes) {
      const like = recorded.get(id) ?? recorded.get(nameOf(id))
      if (unrecorded.has(nameOf(id))) {
        expect(like, id).to.equal(undefined)
        continue
      }
      expect(like, `${id} was never recorded`).not.to.equal(undefined)
      expect(plain(fields), id).to.deep.equal(plain(like?.fields))
    }
    expect(shapes.size).to.be.above(40)
  })
})
