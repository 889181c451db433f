import { expect } from 'chai'
import * as fc from 'fast-check'
import { analyticsDeriverWorker } from '../../jobs/analytics-deriver-worker.ts'
import { evmWorker } from '../../jobs/evm-worker.ts'
import { tokenWorker } from '../../jobs/token-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto } from '../support/derived-tables.ts'
import { foldDigest, inAnyOrder, partitions, rollBackWorker } from '../support/fold-histories.ts'
import { annotatedTransactions } from '../support/recording-annotations.ts'

const service = 'f8d6e0586b0a20c7'
const evmEvent = `A.${service}.EVM.`
const counted = "transfer_type not in ('fee', 'escrow')"

const placeless: Readonly<Record<string, string>> = { FlowToken: '0ae53cb6e3f42a79', FungibleToken: 'ee82856bf20e2aa6' }

function hourOf({ timestampUs }: DecodedBlock): string {
  return new Date(timestampUs / 1000).toISOString().slice(0, 13)
}

function dayOf(block: DecodedBlock): string {
  return hourOf(block).slice(0, 10)
}

function tally(words: readonly string[]): Record<string, string> {
  const groups = Object.groupBy(words, (word) => word)
  return Object.fromEntries(
    Object.keys(groups)
      .toSorted()
      .map((word) => [word, String(groups[word]?.length)]),
  )
}

/** `100000000` of 10^-8 as `1.00000000`. */
function decimal(units: bigint): string {
  const digits = units.toString().padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`
}

function units(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''))
}

describe('activity by day and hour', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]
  let byDay: (readonly [day: string, blocks: readonly DecodedBlock[]])[]

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
    for (const worker of [tokenWorker, evmWorker, analyticsDeriverWorker]) {
      expect(await deriveInto(database.pool, worker, blocks, { from: 0, to: blocks.length })).to.deep.equal([])
    }
    byDay = [...new Set(blocks.map(dayOf))]
      .toSorted()
      .map((day) => [day, blocks.filter((block) => dayOf(block) === day)])
    expect(byDay.length).to.be.greaterThan(2)
  })

  after(() => database.drop())

  const derive = (range: HeightRange): Promise<unknown> =>
    deriveInto(database.pool, analyticsDeriverWorker, blocks, range)
  const transactionsOf = (of: readonly DecodedBlock[]): DecodedTransaction[] =>
    of.flatMap(({ transactions }) => transactions)
  const eventsOf = (of: readonly DecodedBlock[]): DecodedEvent[] => transactionsOf(of).flatMap(({ events }) => events)
  /** By hour, for each row with a height: `2026-03-14T23 word`. */
  const byHour = (rows: readonly { height: number; word: string }[]): string[] =>
    rows.map(({ height, word }) => `${hourOf(blocks[height] as DecodedBlock)} ${word}`)

  it('equal counts of the recording', async () => {
    const swaps = (await annotatedTransactions('base')).filter(
      ({ label, outcome }) => label === 'defi/swap' && outcome === 'ok',
    )
    const expected = byDay.map(([day, of]) => {
      const executions = eventsOf(of).flatMap(({ type, fields }) =>
        type === `${evmEvent}TransactionExecuted` ? [fields ?? {}] : [],
      )
      const crossed = (name: string): string =>
        String(
          transactionsOf(of).filter(({ events }) => events.some(({ type }) => type === `${evmEvent}${name}`)).length,
        )
      const payouts = eventsOf(of).filter(({ type }) => type.endsWith('.EpochTotalRewardsPaid'))
      return {
        day,
        evm_execution_count: String(executions.length),
        evm_failed_count: String(executions.filter(({ errorCode }) => errorCode !== '0').length),
        evm_gas_used: String(executions.reduce((sum, { gasConsumed }) => sum + BigInt(gasConsumed as string), 0n)),
        swap_count: String(swaps.filter(({ height }) => dayOf(blocks[height] as DecodedBlock) === day).length),
        bridge_to_evm_tx_count: crossed('FLOWTokensDeposited'),
        bridge_from_evm_tx_count: crossed('FLOWTokensWithdrawn'),
        epoch_payout: decimal(payouts.reduce((sum, { fields }) => sum + units(fields?.['total']), 0n)),
      }
    })
    const { rows } = await database.pool.query<Record<string, string>>(`
      select day::text, evm_execution_count::text, evm_failed_count::text, evm_gas_used::text, swap_count::text,
        bridge_to_evm_tx_count::text, bridge_from_evm_tx_count::text, epoch_payout::text
      from app.daily_analytics order by day`)
    const days = rows.map(({ day }) => day)
    expect(rows).to.deep.equal(expected.filter(({ day }) => days.includes(day)))
    expect(
      expected.filter(({ day }) => !days.includes(day)).every(({ evm_execution_count: none }) => none === '0'),
    ).to.equal(true)
    const sums = (column: keyof (typeof expected)[number]): number =>
      rows.reduce((sum, row) => sum + Number(row[column]), 0)
    expect([sums('evm_execution_count'), sums('swap_count')]).to.deep.equal([147, 11])
    expect(sums('evm_failed_count')).to.be.greaterThan(10)
    expect(sums('epoch_payout')).to.be.greaterThan(0)
  })

  it('count each trader and each EVM account once a day', async () => {
    const expected = byDay.flatMap(([day, of]) => {
      const traders = transactionsOf(of).filter(({ events }) =>
        events.some(({ type }) => type.endsWith('.SwapPair.Swap')),
      )
      const count = new Set(traders.map(({ authorizers }) => authorizers[0])).size
      return count === 0 ? [] : [{ day, count }]
    })
    const { rows } = await database.pool.query(
      `select day::text, actor_count::int as count from app.daily_actor_counts where kind = 'trader' order by day`,
    )
    expect(rows).to.deep.equal(expected)
    const { rows: sides } = await database.pool.query<{ height: number; address: string }>(`
      select block_height::int as height, address from app.evm_tx_hashes, unnest(array[evm_from, evm_to]) as address
      where address is not null`)
    const evmOfDays = new Set(sides.map(({ height, address }) => `${dayOf(blocks[height] as DecodedBlock)} ${address}`))
    const { rows: known } = await database.pool.query<{ actor: string }>(
      `select day::text || ' ' || address as actor from app.daily_actors where kind = 'evm'`,
    )
    expect(known.map(({ actor }) => actor).toSorted()).to.deep.equal([...evmOfDays].toSorted())
    expect(evmOfDays.size).to.be.greaterThan(20)
    const { rows: counts } = await database.pool.query<{ is_equal: boolean }>(`
      select bool_and(c.actor_count = a.count) and count(*) = count(c.day) as is_equal
      from (select day, kind, count(*) from app.daily_actors group by day, kind) a left join app.daily_actor_counts c using (day, kind)`)
    expect(counts).to.deep.equal([{ is_equal: true }])
  })

  it('count the transactions that import a contract', async () => {
    const expected = tally(
      blocks.flatMap((block) =>
        block.transactions
          .filter(({ isSystem }) => !isSystem)
          .flatMap(({ script }) => {
            const code = script.replaceAll(/\/\/.*|\/\*[^]*?\*\//g, '')
            const names = [...code.matchAll(/\bimport\s+([\w\s,]+?)\s+from\s+0x([0-9a-f]+)/g)].flatMap(
              ([, list = '', address = '']) =>
                list.split(',').map((name) => `A.${address.padStart(16, '0')}.${name.trim().split(' ')[0]}`),
            )
            // The sender of one script may choose these. The chain has each once.
            for (const [, name = ''] of code.matchAll(/\bimport\s+"(\w+)"/g)) names.push(`A.${placeless[name]}.${name}`)
            return [...new Set(names)].map((name) => `${hourOf(block)} ${name}`)
          }),
      ),
    )
    const { rows } = await database.pool.query<{ key: string; count: string }>(`
      select day::text || 'T' || lpad(hour::text, 2, '0') || ' ' || name as key, activity_count::text as count
      from app.hourly_activity where kind = 'contract'`)
    expect(Object.fromEntries(rows.map(({ key, count }) => [key, count]))).to.deep.equal(expected)
    expect(rows.length).to.be.greaterThan(20)
  })

  it('sum the transfers of each token and collection', async () => {
    const { rows: moves } = await database.pool.query<{ height: number; word: string; amount: string }>(
      `select block_height::int as height, token as word, amount::text from app.ft_transfers where ${counted}`,
    )
    const amounts = new Map<string, bigint>()
    for (const [i, key] of byHour(moves).entries()) amounts.set(key, (amounts.get(key) ?? 0n) + units(moves[i]?.amount))
    const { rows } = await database.pool.query<{ key: string; count: string; amount: string }>(`
      select day::text || 'T' || lpad(hour::text, 2, '0') || ' ' || name as key, activity_count::text as count, amount::text
      from app.hourly_activity where kind = 'token'`)
    expect(Object.fromEntries(rows.map(({ key, count }) => [key, count]))).to.deep.equal(tally(byHour(moves)))
    for (const { key, amount } of rows) expect(amount, key).to.equal(decimal(amounts.get(key) ?? -1n))
    const { rows: items } = await database.pool.query<{ height: number; word: string }>(
      `select block_height::int as height, token as word from app.nft_transfers where token is not null and ${counted}`,
    )
    const { rows: collections } = await database.pool.query<{ key: string; count: string }>(`
      select day::text || 'T' || lpad(hour::text, 2, '0') || ' ' || name as key, activity_count::text as count
      from app.hourly_activity where kind = 'collection'`)
    expect(Object.fromEntries(collections.map(({ key, count }) => [key, count]))).to.deep.equal(tally(byHour(items)))
    expect(items.length).to.be.greaterThan(50)
  })

  it('list every big transfer, by its unique key', async () => {
    const { rows } = await database.pool.query<{ big: number; listed: number; missing: number }>(`
      select (select count(*)::int from app.big_transfers) as big,
        (select count(*)::int from app.big_transfers b
         join app.ft_transfers t using (block_height, tx_index, event_index, leg, token, amount)) as listed,
        (select count(*)::int from app.ft_transfers t where amount >= 1000 and ${counted} and not exists (
          select from app.big_transfers b where (b.block_height, b.tx_index, b.event_index, b.leg)
            = (t.block_height, t.tx_index, t.event_index, t.leg))) as missing`)
    expect(rows[0]?.big).to.be.greaterThan(5)
    expect(rows[0]).to.deep.equal({ big: rows[0]?.big, listed: rows[0]?.big, missing: 0 })
  })

  it('are independent of ranges, order, repetition and rollbacks', async () => {
    const inOnePass = await foldDigest(database.pool, analyticsDeriverWorker)
    await fc.assert(
      fc.asyncProperty(
        inAnyOrder(partitions(blocks.length)),
        fc.integer({ min: 1, max: 280 }),
        async (ranges, height) => {
          await rollBackWorker(database.pool, analyticsDeriverWorker, 0)
          expect(await foldDigest(database.pool, analyticsDeriverWorker)).to.match(/^(0 -\n?)+$/)
          for (const range of ranges) await derive(range)
          expect(await foldDigest(database.pool, analyticsDeriverWorker)).to.equal(inOnePass)
          await derive({ from: height - 1, to: height })
          await rollBackWorker(database.pool, analyticsDeriverWorker, height)
          await derive({ from: height, to: blocks.length })
          expect(await foldDigest(database.pool, analyticsDeriverWorker)).to.equal(inOnePass)
        },
      ),
      { numRuns: 6 },
    )
  })
})
