import { expect } from 'chai'
import * as fc from 'fast-check'
import { dailyStatsWorker } from '../../jobs/daily-stats-worker.ts'
import { tokenWorker } from '../../jobs/token-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto } from '../support/derived-tables.ts'
import { foldDigest, inAnyOrder, partitions, rollBackWorker } from '../support/fold-histories.ts'

const evm = 'A.f8d6e0586b0a20c7.EVM'

/** Days and hours of a recording's blocks by the Date class, not by arithmetic on microseconds. */
function dayOf({ timestampUs }: DecodedBlock): string {
  return new Date(timestampUs / 1000).toISOString().slice(0, 10)
}

function hourOf({ timestampUs }: DecodedBlock): string {
  return new Date(timestampUs / 1000).toISOString().slice(0, 13)
}

/** The emulator reports 0 for all. The fee's computation replaces it. */
function computation({ gasUsed = 0n, events }: DecodedTransaction): bigint {
  if (gasUsed > 0n) return gasUsed
  const efforts = events.flatMap(({ type, fields }) =>
    type.endsWith('.FlowFees.FeesDeducted') ? [fields?.['executionEffort'] as string] : [],
  )
  return efforts.reduce((sum, effort) => sum + BigInt(effort.replace('.', '')), 0n)
}

/** Counts all blocks again at once. */
function recount(blocks: readonly DecodedBlock[]): Record<string, string> {
  const transactions = blocks.flatMap((block) => block.transactions)
  const ofUsers = transactions.filter(({ isSystem }) => !isSystem)
  const events = transactions.flatMap((transaction) => transaction.events)
  const named = (name: string): number => events.filter(({ type }) => type === name).length
  const fees = events
    .flatMap(({ type, fields }) =>
      type.endsWith('.FlowFees.FeesDeducted') && fields !== undefined ? [fields['amount'] as string] : [],
    )
    .reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n)
    .toString()
    .padStart(9, '0')
  return {
    block_count: String(blocks.length),
    tx_count: String(transactions.length),
    system_tx_count: String(transactions.length - ofUsers.length),
    failed_tx_count: String(ofUsers.filter(({ statusCode }) => statusCode === 1).length),
    evm_tx_count: String(
      transactions.filter((one) => one.events.some(({ type }) => type === `${evm}.TransactionExecuted`)).length,
    ),
    event_count: String(events.length),
    gas_used: String(transactions.reduce((sum, transaction) => sum + computation(transaction), 0n)),
    fees: `${fees.slice(0, -8)}.${fees.slice(-8)}`,
    new_account_count: String(named('flow.AccountCreated')),
    new_coa_count: String(named(`${evm}.CadenceOwnedAccountCreated`)),
    new_contract_count: String(named('flow.AccountContractAdded')),
    contract_update_count: String(named('flow.AccountContractUpdated')),
  }
}

function groups(blocks: readonly DecodedBlock[], keyOf: (block: DecodedBlock) => string): [string, DecodedBlock[]][] {
  return Object.entries(Object.groupBy(blocks, keyOf) as Record<string, DecodedBlock[]>).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
}

describe('daily and hourly statistics', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
    for (const worker of [tokenWorker, dailyStatsWorker]) {
      expect(await deriveInto(database.pool, worker, blocks, { from: 0, to: blocks.length })).to.deep.equal([])
    }
  })

  after(() => database.drop())

  const derive = (range: HeightRange): Promise<unknown> => deriveInto(database.pool, dailyStatsWorker, blocks, range)
  const counters = Object.keys(recount([]))
    .map((name) => `${name}::text`)
    .join(', ')

  it('equal counts of the recording, on both sides of midnight', async () => {
    const days = groups(blocks, dayOf)
    expect(days.length).to.be.greaterThan(2)
    const { rows } = await database.pool.query(`select day::text, ${counters} from app.daily_stats order by day`)
    expect(rows).to.deep.equal(days.map(([day, ofDay]) => ({ day, ...recount(ofDay) })))
  })

  it('have hourly values that sum to the days', async () => {
    const { rows } = await database.pool.query(
      `select day::text || 'T' || lpad(hour::text, 2, '0') as hour, ${counters} from app.hourly_stats order by day, hour`,
    )
    expect(rows).to.deep.equal(groups(blocks, hourOf).map(([hour, ofHour]) => ({ hour, ...recount(ofHour) })))
    const { rows: different } = await database.pool.query(`
      select day, sum(ft_transfer_count)::bigint, sum(nft_transfer_count)::bigint, sum(tx_count)::bigint
      from app.hourly_stats group by day
      except select day, ft_transfer_count, nft_transfer_count, tx_count from app.daily_stats`)
    expect(different).to.deep.equal([])
  })

  it('count the listed transfers, without fees', async () => {
    for (const [table, column, where] of [
      ['app.ft_transfers', 'ft_transfer_count', "transfer_type <> 'fee'"],
      ['app.nft_transfers', 'nft_transfer_count', 'true'],
    ] as const) {
      const { rows: listed } = await database.pool.query<{ height: number; count: number }>(
        `select block_height::int as height, count(*)::int as count from ${table} where ${where} group by 1`,
      )
      const ofDay = (of: readonly DecodedBlock[]): number => {
        const heights = new Set(of.map(({ height }) => height))
        return listed.filter(({ height }) => heights.has(height)).reduce((sum, { count }) => sum + count, 0)
      }
      const { rows } = await database.pool.query(
        `select day::text, ${column}::int as count from app.daily_stats order by day`,
      )
      expect(rows, table).to.deep.equal(groups(blocks, dayOf).map(([day, of]) => ({ day, count: ofDay(of) })))
      expect(listed.length, table).to.be.greaterThan(50)
    }
  })

  it('count each account once a day', async () => {
    const expected = groups(blocks, dayOf).map(([day, ofDay]) => {
      const users = ofDay.flatMap(({ transactions }) => transactions.filter(({ isSystem }) => !isSystem))
      const parties = users.flatMap(({ payer, proposer, authorizers }) => [payer, proposer, ...authorizers])
      return { day, count: new Set(parties.filter((one) => one !== undefined)).size }
    })
    const { rows } = await database.pool.query(
      'select day::text, active_account_count::int as count from app.daily_account_counts order by day',
    )
    expect(rows).to.deep.equal(expected.filter(({ count }) => count > 0))
    const { rows: shown } = await database.pool.query(
      'select day::text, active_account_count::int as count from app.daily_stats where active_account_count > 0 order by day',
    )
    expect(shown).to.deep.equal(rows)
    const { rows: known } = await database.pool.query(
      'select day::text, count(*)::int from app.daily_active_accounts group by day order by day',
    )
    expect(known).to.deep.equal(rows)
  })

  it('are independent of ranges, order, repetition and rollbacks', async () => {
    const inOnePass = await foldDigest(database.pool, dailyStatsWorker)
    await fc.assert(
      fc.asyncProperty(
        inAnyOrder(partitions(blocks.length)),
        fc.integer({ min: 1, max: 280 }),
        async (ranges, height) => {
          await rollBackWorker(database.pool, dailyStatsWorker, 0)
          expect(await foldDigest(database.pool, dailyStatsWorker)).to.match(/^(0 -\n?)+$/)
          for (const range of ranges) await derive(range)
          expect(await foldDigest(database.pool, dailyStatsWorker)).to.equal(inOnePass)
          await derive({ from: height - 1, to: height })
          await rollBackWorker(database.pool, dailyStatsWorker, height)
          await derive({ from: height, to: blocks.length })
          expect(await foldDigest(database.pool, dailyStatsWorker)).to.equal(inOnePass)
        },
      ),
      { numRuns: 8 },
    )
  })
})
