import { expect } from 'chai'
import * as fc from 'fast-check'
import { workers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto, derivedDigest, derivedTables, rollBackDerived } from '../support/derived-tables.ts'
import { namedAccounts } from '../support/recording-annotations.ts'

describe('derived state', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]
  let named: Readonly<Record<string, string>>
  let inOnePass: Record<string, string>

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
    named = await namedAccounts('base')
    for (const worker of workers) {
      const problems = await deriveInto(database.pool, worker, blocks, { from: 0, to: blocks.length })
      expect(problems, worker.name).to.deep.equal([])
    }
    inOnePass = await derivedDigest(database.pool)
  })

  after(() => database.drop())

  const reset = async (): Promise<void> => {
    await database.pool.query(`truncate ${derivedTables.join(', ')}`)
  }

  it('has every account that was created or took part, with its time', async () => {
    const expected = new Map<string, { first_seen_height: number; last_seen_height: number; created: string | null }>()
    const see = (address: string, height: number): void => {
      const known = expected.get(address)
      if (known !== undefined) known.last_seen_height = height
      else expected.set(address, { first_seen_height: height, last_seen_height: height, created: null })
    }
    for (const { height, transactions } of blocks) {
      for (const { index, isSystem, payer, proposer, authorizers, events } of transactions) {
        const parties = isSystem ? [] : [payer, proposer, ...authorizers]
        for (const address of parties) if (address !== undefined) see(address, height)
        for (const { type, fields } of events) {
          if (type !== 'flow.AccountCreated') continue
          const address = fields?.['address'] as string
          see(address, height)
          Object.assign(expected.get(address) as object, { created: `${height}.${index}` })
        }
      }
    }
    const { rows } = await database.pool.query<{ address: string; created: string | null }>(
      `select address, first_seen_height::int, last_seen_height::int,
         created_height || '.' || created_tx_index as created
       from app.accounts order by address`,
    )
    expect(rows).to.deep.equal([...expected].map(([address, facts]) => ({ address, ...facts })).toSorted(byAddress))
    expect(rows.map(({ address }) => address)).to.deep.equal(Object.values(named).toSorted())
    const uncreated = rows.filter(({ created }) => created === null)
    expect(uncreated.map(({ address }) => address)).to.deep.equal([named['service']])
  })

  it('is independent of ranges and order', async () => {
    await fc.assert(
      fc.asyncProperty(partitions(blocks.length), fc.infiniteStream(fc.nat()), async (ranges, order) => {
        await reset()
        for (const [worker, range] of scheduled(ranges, order)) await deriveInto(database.pool, worker, blocks, range)
        expect(await derivedDigest(database.pool)).to.deep.equal(inOnePass)
      }),
      { numRuns: 6 },
    )
  })

  it('is the same when ranges are derived again', async () => {
    for (const range of [
      { from: 30, to: 90 },
      { from: 0, to: 281 },
      { from: 280, to: 281 },
    ]) {
      for (const worker of workers) await deriveInto(database.pool, worker, blocks, range)
    }
    expect(await derivedDigest(database.pool)).to.deep.equal(inOnePass)
  })

  it('is restored after a rollback, and excludes the blocks in between', async () => {
    for (const height of [20, 137, 279]) {
      await rollBackDerived(database.pool, height)
      const rolledBack = await derivedDigest(database.pool)
      await reset()
      for (const worker of workers) await deriveInto(database.pool, worker, blocks, { from: 0, to: height })
      expect(rolledBack, `below ${height}`).to.deep.equal(await derivedDigest(database.pool))
      for (const worker of workers) await deriveInto(database.pool, worker, blocks, { from: height, to: blocks.length })
      expect(await derivedDigest(database.pool)).to.deep.equal(inOnePass)
    }
  })
})

function byAddress(a: { address: string }, b: { address: string }): number {
  return a.address < b.address ? -1 : 1
}

/** All heights below `end`, divided into ranges. */
function partitions(end: number): fc.Arbitrary<HeightRange[]> {
  return fc.uniqueArray(fc.integer({ min: 1, max: end - 1 }), { maxLength: 9 }).map((cuts) => {
    const borders = [0, ...cuts.toSorted((a, b) => a - b), end]
    return borders.slice(1).map((to, i) => ({ from: borders[i] as number, to }))
  })
}

/**
 * Every worker over every range, in a random order in which a worker runs after its dependencies.
 */
function* scheduled(
  ranges: readonly HeightRange[],
  order: fc.Stream<number>,
): Generator<readonly [Worker, HeightRange]> {
  const waiting = ranges.flatMap((range) => workers.map((worker) => [worker, range] as const))
  const done = new Set<string>()
  while (waiting.length > 0) {
    const ready = waiting.filter(([worker, { from }]) => worker.follows.every((name) => done.has(`${name} ${from}`)))
    const next = ready[(order.next().value as number) % ready.length] as readonly [Worker, HeightRange]
    waiting.splice(waiting.indexOf(next), 1)
    done.add(`${next[0].name} ${next[1].from}`)
    yield next
  }
}
