import { expect } from 'chai'
import * as fc from 'fast-check'
import { dailyBalanceWorker } from '../../jobs/daily-balance-worker.ts'
import { ftHoldingsWorker } from '../../jobs/ft-holdings-worker.ts'
import { tokenWorker } from '../../jobs/token-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { ufix64Text } from '../../src/flow/tokens/ufix64.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto, derivedTables, rollBackDerived } from '../support/derived-tables.ts'
import { foldDigest, inAnyOrder, partitions } from '../support/fold-histories.ts'
import { handMadeBlocks } from '../support/hand-made-blocks.ts'
import type { ManualEvent } from '../support/hand-made-blocks.ts'

const flow = 'A.0ae53cb6e3f42a79.FlowToken'
const accounts = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0'] as const
const [alice, bob] = accounts

/** At the end of each day with a change, by `<day> <address> <token>`. */
type Closing = Record<string, string>

describe('balance history', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
  })

  after(() => database.drop())

  beforeEach(async () => {
    await database.pool.query(`truncate ${derivedTables.join(', ')}`)
  })

  const derive = async (all: readonly DecodedBlock[], range: HeightRange): Promise<void> => {
    for (const worker of [tokenWorker, ftHoldingsWorker, dailyBalanceWorker]) {
      expect(await deriveInto(database.pool, worker, all, range), worker.name).to.deep.equal([])
    }
  }
  /** As a reader computes it: the current balance less later changes. */
  const reported = async (): Promise<Closing> => {
    const { rows } = await database.pool.query<{ key: string; balance: string }>(
      `select d.day || ' ' || d.address || ' ' || d.token as key,
         (h.balance - coalesce(sum(d.change) over later, 0.00000000))::text as balance
       from app.daily_balance_changes d join app.ft_holdings h using (address, token)
       window later as (
         partition by d.address, d.token order by d.day desc rows between unbounded preceding and 1 preceding
       )
       order by key`,
    )
    return Object.fromEntries(rows.map(({ key, balance }) => [key, balance]))
  }
  const holdings = async (): Promise<object> => {
    const { rows } = await database.pool.query<{ address: string; balance: string; is_complete: boolean }>(
      'select address, balance::text, is_complete from app.ft_holdings order by address',
    )
    return Object.fromEntries(
      rows.map(({ address, balance, is_complete: isComplete }) => [address, [balance, isComplete]]),
    )
  }

  /** Vault balances after the last block of each day. */
  const held = async (all: readonly DecodedBlock[]): Promise<Closing> => {
    const { rows } = await database.pool.query<{ key: string; balance: string }>(
      `with days as (select day, max(height) as height from unnest($1::int[], $2::date[]) as b (height, day) group by day)
       select d.day || ' ' || d.address || ' ' || d.token as key, sum(v.balance)::text as balance
       from app.daily_balance_changes d join days using (day) cross join lateral (
         select distinct on (h.vault_uuid) h.owner, h.balance from app.ft_vault_balances h
         where h.token = d.token and h.block_height <= days.height order by h.vault_uuid, h.block_height desc
       ) v
       where '0x' || encode(v.owner, 'hex') = d.address group by 1 order by key`,
      [
        all.map(({ height }) => height),
        all.map(({ timestampUs }) => new Date(timestampUs / 1000).toISOString().slice(0, 10)),
      ],
    )
    return Object.fromEntries(rows.map(({ key, balance }) => [key, balance]))
  }

  it('equals the vault balances at the end of each day', async () => {
    await derive(blocks, { from: 0, to: blocks.length })
    const closing = await reported()
    expect(new Set(Object.keys(closing).map((key) => key.slice(0, 10))).size, 'days').to.equal(2)
    expect(closing).to.deep.equal(await held(blocks))
  })

  it('is correct for the indexed days if history starts in the middle', async () => {
    const from = 100
    await derive(blocks, { from, to: blocks.length })
    const closing = await reported()
    expect(Object.keys(closing).length).to.be.greaterThan(10)
    expect(closing).to.deep.equal(await held(blocks))
  })

  it('counts nothing twice when ranges are derived again, and is independent of order and rollbacks', async () => {
    await derive(blocks, { from: 0, to: blocks.length })
    const once = await foldDigest(database.pool, dailyBalanceWorker)
    const heights = fc.array(fc.nat(blocks.length), { maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(inAnyOrder(partitions(blocks.length)), heights, fc.nat(), async (ranges, rollbacks, again) => {
        await database.pool.query(`truncate ${derivedTables.join(', ')}`)
        const some = (range: HeightRange): Promise<unknown> =>
          deriveInto(database.pool, dailyBalanceWorker, blocks, range)
        for (const range of ranges) await some(range)
        await some(ranges[again % ranges.length] as HeightRange)
        for (const height of rollbacks) {
          await rollBackDerived(database.pool, height)
          for (const { from, to } of ranges) if (to > height) await some({ from: Math.max(from, height), to })
        }
        expect(await foldDigest(database.pool, dailyBalanceWorker)).to.equal(once)
      }),
      { numRuns: 6 },
    )
  })

  describe('of an account older than Cadence 1.0', () => {
    // The days begin at heights 0, 2, 6 and 10. Before height 0, alice had 100 and bob had nothing.
    const eras = handMadeBlocks(12, {
      1: oldMove(alice, bob, '30.00000000'),
      3: oldMove(bob, alice, '5.00000000'),
      5: oldMove(alice, bob, '10.00000000'),
      9: newMove(alice, bob, '1.00000000', { left: '64.00000000', had: '36.00000000' }),
    })
    it('is negative only while marked incomplete, and correct once its vaults were seen', async () => {
      await derive(eras, { from: 0, to: 8 })
      expect(await holdings()).to.deep.equal({ [alice]: ['-35.00000000', false], [bob]: ['35.00000000', false] })
      await derive(eras, { from: 8, to: 12 })
      expect(await holdings()).to.deep.equal({ [alice]: ['64.00000000', true], [bob]: ['36.00000000', true] })
      await rollBackDerived(database.pool, 9)
      expect(await holdings()).to.deep.equal({ [alice]: ['-35.00000000', false], [bob]: ['35.00000000', false] })
    })

    it('is the same if the newer era is indexed first', async () => {
      await derive(eras, { from: 8, to: 12 })
      expect(await holdings()).to.deep.equal({ [alice]: ['64.00000000', true], [bob]: ['36.00000000', true] })
      await derive(eras, { from: 0, to: 8 })
      expect(await holdings()).to.deep.equal({ [alice]: ['64.00000000', true], [bob]: ['36.00000000', true] })
    })

    it('covers both eras, even if the first days are not indexed', async () => {
      const days = ['2024-09-25', '2024-09-26', '2024-09-27'] as const
      for (const [from, expected] of [
        [
          0,
          [
            ['70.00000000', '30.00000000'],
            ['65.00000000', '35.00000000'],
            ['64.00000000', '36.00000000'],
          ],
        ],
        [4, [undefined, ['65.00000000', '35.00000000'], ['64.00000000', '36.00000000']]],
      ] as const) {
        await database.pool.query(`truncate ${derivedTables.join(', ')}`)
        await derive(eras, { from, to: 12 })
        const entries = days.flatMap((day, i) =>
          [alice, bob].map((address, who) => [`${day} ${address} ${flow}`, expected[i]?.[who]] as const),
        )
        expect(await reported()).to.deep.equal(
          Object.fromEntries(entries.filter(([, balance]) => balance !== undefined)),
        )
      }
    })
  })

  it('is correct for any chain of two eras, from any height, by any ranges in any order', async () => {
    const end = 16
    const move = fc.record({
      height: fc.nat(end - 1),
      from: fc.constantFrom(...accounts),
      to: fc.constantFrom(...accounts),
      part: fc.nat(10),
    })
    const moves = fc.array(move, { maxLength: 14 }).map((all) => all.toSorted((a, b) => a.height - b.height))
    const chains = fc.record({ moves, border: fc.nat(end), start: fc.nat(end - 1) })
    await fc.assert(
      fc.asyncProperty(chains, inAnyOrder(partitions(end)), async ({ moves: all, border, start }, ranges) => {
        await database.pool.query(`truncate ${derivedTables.join(', ')}`)
        const units = new Map<string, bigint>(accounts.map((account) => [account, 10n ** 10n]))
        const events: Record<number, ManualEvent[]> = {}
        /** The last known state of each account: a vault balance, or the sum of changes. */
        const expected = new Map<string, [balance: bigint, isComplete: boolean]>()
        const closing = new Map<string, bigint>()
        for (const { height, from, to, part } of all) {
          const given = ((units.get(from) ?? 0n) * BigInt(part)) / 10n
          const amount = ufix64Text(given)
          units.set(from, (units.get(from) ?? 0n) - given)
          const left = ufix64Text(units.get(from) ?? 0n)
          units.set(to, (units.get(to) ?? 0n) + given)
          const had = ufix64Text(units.get(to) ?? 0n)
          const emitted = height < border ? oldMove(from, to, amount) : newMove(from, to, amount, { left, had })
          events[height] = [...(events[height] ?? []), ...emitted]
          if (height < start) continue
          for (const [account, change] of [
            [from, -given],
            [to, given],
          ] as const) {
            const [known] = expected.get(account) ?? [0n, false]
            if (height >= border) expected.set(account, [units.get(account) ?? 0n, true])
            else expected.set(account, [known + change, false])
            closing.set(`${dayOf(height)} ${account} ${flow}`, units.get(account) ?? 0n)
          }
        }
        const chain = handMadeBlocks(end, events)
        for (const { from, to } of ranges) if (to > start) await derive(chain, { from: Math.max(from, start), to })
        const known = [...expected].map(
          ([account, [balance, isComplete]]) => [account, [textOf(balance), isComplete]] as const,
        )
        expect(await holdings()).to.deep.equal(Object.fromEntries(known))
        for (const [key, balance] of Object.entries(await reported())) {
          const [, account = ''] = key.split(' ')
          if (expected.get(account)?.[1] === true) expect(balance, key).to.equal(textOf(closing.get(key) ?? -1n))
        }
      }),
      { numRuns: 25 },
    )
  })
})

/** The events of a transfer before Cadence 1.0. */
function oldMove(from: string, to: string, amount: string): ManualEvent[] {
  return [
    [`${flow}.TokensWithdrawn`, { amount, from }],
    [`${flow}.TokensDeposited`, { amount, to }],
  ]
}

/** The events since Cadence 1.0. Each account has one vault. */
function newMove(from: string, to: string, amount: string, after: { left: string; had: string }): ManualEvent[] {
  const uuidOf = (account: string): string => BigInt(account).toString()
  return [
    [
      'A.ee82856bf20e2aa6.FungibleToken.Withdrawn',
      {
        type: `${flow}.Vault`,
        amount,
        from,
        fromUUID: uuidOf(from),
        withdrawnUUID: '99',
        balanceAfter: after.left,
      },
    ],
    [
      'A.ee82856bf20e2aa6.FungibleToken.Deposited',
      {
        type: `${flow}.Vault`,
        amount,
        to,
        toUUID: uuidOf(to),
        depositedUUID: '99',
        balanceAfter: after.had,
      },
    ],
  ]
}

function dayOf(height: number): string {
  const timestampUs = handMadeBlocks(height + 1, {}).at(-1)?.timestampUs ?? 0
  return new Date(timestampUs / 1000).toISOString().slice(0, 10)
}

function textOf(units: bigint): string {
  return units < 0n ? `-${ufix64Text(-units)}` : ufix64Text(units)
}
