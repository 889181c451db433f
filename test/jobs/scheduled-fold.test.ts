import { expect } from 'chai'
import fc from 'fast-check'
import { scheduledWorker } from '../../jobs/scheduled-worker.ts'
import type { DecodedBlock, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedTransaction } from '../support/hand-made-blocks.ts'
import { deriveInto, rollBackDerived } from '../support/derived-tables.ts'

const scheduler = 'A.f8d6e0586b0a20c7.FlowTransactionScheduler'
const script = (call: string): string =>
  `import FlowTransactionScheduler from 0xf8d6e0586b0a20c7 transaction { execute { scheduler.${call} } }`
const [process, execute] = [script('process()'), script('executeTransaction(id: id)')]
const blockCount = 10

/** The life of one: when it was scheduled, and how and when it ended. */
interface Life {
  readonly scheduled: number
  readonly end: 'executed' | 'failed' | 'canceled' | 'unavailable' | undefined
  readonly ended: number
}

const life: fc.Arbitrary<Life> = fc
  .tuple(
    fc.nat(blockCount - 2),
    fc.nat(blockCount),
    fc.constantFrom('executed', 'failed', 'canceled', 'unavailable', undefined),
  )
  .map(([scheduled, later, end]) => ({ scheduled, end, ended: Math.min(scheduled + 1 + later, blockCount - 1) }))
const lives = fc.array(life, { maxLength: 5 })
/** Range boundaries, and the order of derivation. */
const order = fc.tuple(
  fc.uniqueArray(fc.integer({ min: 1, max: blockCount - 1 })),
  fc.array(fc.nat(), { minLength: blockCount, maxLength: blockCount }),
)

const common = {
  priority: '0',
  transactionHandlerOwner: '0xf8d6e0586b0a20c7',
  transactionHandlerTypeIdentifier: 'A.1.B.C',
}
const paid = { ...common, executionEffort: '500', fees: '0.00010000' }

function transaction(
  index: number,
  text: string,
  events: readonly (readonly [string, PayloadFields])[],
  statusCode: number | undefined = 0,
): DecodedTransaction {
  return decodedTransaction({
    index,
    isSystem: text !== '',
    scriptHash: Buffer.from(text),
    script: text,
    statusCode,
    events: events.map(([name, fields], at) => ({ type: `${scheduler}.${name}`, index: at, fields })),
  })
}

function blockAt(height: number, all: readonly Life[]): DecodedBlock {
  const numbered = all.map((one, id) => ({ ...one, id: String(id) }))
  const scheduled = numbered
    .filter((one) => one.scheduled === height)
    .map(({ id }) => ['Scheduled', { ...paid, id, timestamp: '5.00000000' }] as const)
  const ending = numbered.filter(({ ended, end }) => ended === height && end !== undefined)
  const canceled = ending
    .filter(({ end }) => end === 'canceled')
    .map(({ id }) => ['Canceled', { ...common, id, feesReturned: '0.00005000', feesDeducted: '0.00005000' }] as const)
  const runs = ending.filter(({ end }) => end !== 'canceled')
  return {
    height,
    id: Buffer.alloc(32),
    timestampUs: 0,
    transactions: [
      transaction(0, '', [...scheduled, ...canceled]),
      transaction(
        1,
        process,
        runs.map(({ id }) => ['PendingExecution', { ...paid, id }]),
      ),
      ...runs.map(({ id, end }, i) => {
        if (end === 'executed')
          return transaction(2 + i, execute, [['Executed', { ...common, executionEffort: '500', id }]])
        return transaction(2 + i, execute, [], end === 'failed' ? 1 : undefined)
      }),
    ],
  }
}

/** Rows of blocks from 0 to `until` (exclusive), or from `from` on. */
function expected(all: readonly Life[], blocks: readonly DecodedBlock[], from = 0, until = blockCount): string[] {
  const isSeen = (height: number): boolean => height >= from && height < until
  return all.flatMap(({ scheduled, end, ended }, id) => {
    const hasEnd = end !== undefined && isSeen(ended)
    if (!isSeen(scheduled) && !hasEnd) return []
    const status = end === 'unavailable' ? 'pending' : end
    const place =
      blocks[ended]?.transactions.findIndex(({ events }) =>
        events.some(
          ({ type, fields }) =>
            fields?.['id'] === String(id) && (type.endsWith('.Executed') || type.endsWith('.Canceled')),
        ),
      ) ?? -1
    const failedAt =
      2 +
      all.filter((one, other) => one.ended === ended && other < id && one.end !== 'canceled' && one.end !== undefined)
        .length
    const index = end === 'failed' ? failedAt : place
    const reported = hasEnd && end !== 'unavailable' ? `${ended}.${index}` : '-'
    return [`${id} ${hasEnd ? status : 'scheduled'} ${isSeen(scheduled) ? scheduled : '-'} ${reported}`]
  })
}

describe('scheduled transactions of generated chains', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const stored = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ line: string }>(`
      select concat_ws(' ', scheduled_id, status, coalesce(scheduled_height::text, '-'),
        coalesce(ended_height || '.' || ended_tx_index, '-')) as line
      from app.scheduled_transactions order by scheduled_id`)
    return rows.map(({ line }) => line)
  }

  it('are independent of ranges, order, rollbacks and the start of history', async () => {
    await fc.assert(
      fc.asyncProperty(lives, order, fc.nat(blockCount), async (all, [cuts, weights], height) => {
        await database.pool.query('truncate app.scheduled_transaction_changes, app.scheduled_transactions')
        const blocks = Array.from({ length: blockCount }, (_, at) => blockAt(at, all))
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), blockCount]
        const ranges = bounds.slice(1).map((to, i) => ({ from: bounds[i] ?? 0, to, weight: weights[i] ?? 0 }))
        const [last, ...others] = ranges.toSorted((a, b) => b.to - a.to)
        if (last === undefined) return
        await deriveInto(database.pool, scheduledWorker, blocks, last)
        expect(await stored()).to.deep.equal(expected(all, blocks, last.from))
        for (const range of others.toSorted((a, b) => a.weight - b.weight)) {
          await deriveInto(database.pool, scheduledWorker, blocks, range)
        }
        expect(await stored()).to.deep.equal(expected(all, blocks))
        await rollBackDerived(database.pool, height)
        expect(await stored()).to.deep.equal(expected(all, blocks, 0, height))
      }),
      { numRuns: 25 },
    )
  })
})
