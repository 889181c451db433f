import { expect } from 'chai'
import type { Fault } from '../../simnode/node/faults.ts'
import type { InjectedFault } from '../../simnode/node/fault-book.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import { rawDigest, runIngest, untilStored } from '../support/ingest.ts'
import type { RunningIngest } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions, faultlessDigest } from '../support/faultless-digest.ts'
import { untilHit } from '../support/watch-node.ts'

const head = 60
/** A height far from both ends. */
const middle = { from: 30, to: 30 }

/** Temporary faults, and when each is over. */
const passing: Record<
  string,
  { faults: readonly Fault[]; over?: (faults: readonly InjectedFault[], node: ReplayNode) => Promise<void> }
> = {
  'is not available for a while': {
    faults: [{ kind: 'status', code: 'UNAVAILABLE', after: 40 }],
    over: async ([fault], node) => untilHit(node, fault as InjectedFault, 12),
  },
  'is slow': { faults: [{ kind: 'latency', ms: 200 }] },
  'never answers a call': {
    faults: [{ kind: 'never-answer', methods: ['GetBlockByHeight'], heights: middle, times: 1 }],
  },
  'answers with an invalid message': { faults: [{ kind: 'garbage', after: 40, times: 15 }] },
  'cuts the connection again and again': {
    faults: [5, 23, 57, 91, 92, 93, 140, 160].map((after) => ({ kind: 'drop-connection', after, times: 1 })),
  },
  'fails inside at one height': {
    faults: [
      {
        kind: 'status',
        code: 'INTERNAL',
        methods: ['GetTransactionResultsByBlockID', 'GetTransactionResultByIndex'],
        heights: middle,
        times: 20,
      },
    ],
  },
  'names a wrong parent at one height': {
    faults: [{ kind: 'wrong-parent', heights: middle, times: 3, methods: ['GetBlockByHeight'] }],
  },
  'leaves out results': { faults: [{ kind: 'fewer-results', heights: middle, times: 3 }] },
  'does not have the results of a height yet': { faults: [{ kind: 'missing-results', heights: middle, times: 12 }] },
  'has lost the error text of failed transactions': { faults: [{ kind: 'lost-error-message' }] },
  'cannot send large answers': {
    faults: [
      {
        kind: 'status',
        code: 'RESOURCE_EXHAUSTED',
        methods: ['GetTransactionResultsByBlockID'],
        heights: { from: 20, to: 40 },
        message: 'grpc: trying to send message larger than max (21000000 vs. 20971520)',
      },
    ],
  },
}

describe('ingest, while an access node', () => {
  for (const [what, { faults, over }] of Object.entries(passing)) {
    it(`${what}: forward and backward, the raw tables match an undisturbed run`, async () => {
      const expected = await faultlessDigest('base', { head })
      await Promise.all(
        Object.values(directions).map(async (variables) => {
          const database = await createTestDatabase()
          await using node = await startRecordedNode('base', { head })
          const injected = faults.map((fault) => node.inject(fault))
          const running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables })
          try {
            if (over !== undefined) {
              await over(injected, node)
              node.clearFaults()
            }
            await untilStored(database, 0, head, running)
            for (const fault of injected) expect(fault.hits, JSON.stringify(fault.fault)).to.be.greaterThan(0)
            expect(await rawDigest(database.pool)).to.deep.equal(expected)
            expect(await rollbacks(running)).to.equal(0)
          } finally {
            await running.stop()
            await database.drop()
          }
        }),
      )
    })
  }

  async function rollbacks({ metrics }: RunningIngest): Promise<number> {
    const { values } = await metrics.reorgs.get()
    return values[0]?.value ?? 0
  }
})
