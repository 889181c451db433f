import { expect } from 'chai'
import * as fc from 'fast-check'
import { ftHoldingsWorker } from '../../jobs/ft-holdings-worker.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { commitOutput, derivedTables, rollBackDerived } from '../support/derived-tables.ts'

const token = 'A.1654653399040a61.FlowToken'
const owners = ['0x00000000000000a1', '0x00000000000000b0', '']
const end = 12

/** The balance of a vault after a block. */
interface State {
  readonly height: number
  readonly vault: number
  readonly owner: string
  readonly balance: number
}

interface Change {
  readonly height: number
  readonly address: string
  readonly change: number
}

interface Holding {
  readonly balance: number
  readonly vault_count: number
  readonly is_complete: boolean
}

const states: fc.Arbitrary<State[]> = fc.uniqueArray(
  fc.record({
    height: fc.nat(end - 1),
    vault: fc.nat(3),
    owner: fc.constantFrom(...owners),
    balance: fc.nat(50),
  }),
  { maxLength: 20, selector: ({ height, vault }) => `${height} ${vault}` },
)

const changes: fc.Arbitrary<Change[]> = fc.uniqueArray(
  fc.record({
    height: fc.nat(end - 1),
    address: fc.constantFrom('0x00000000000000b0', '0x00000000000000c0'),
    change: fc.integer({ min: -9, max: 9 }),
  }),
  { maxLength: 5, selector: ({ height, address }) => `${height} ${address}` },
)

/**
 * Each vault counts in the account of its last event. Without any vault event, changes are summed.
 */
function heldAfter(all: readonly State[], moved: readonly Change[]): object {
  const last = Map.groupBy(
    all.toSorted((a, b) => a.height - b.height),
    ({ vault }) => vault,
  )
  const held = new Map<string, Holding>()
  const add = (address: string, balance: number, count: number): void => {
    const before = held.get(address) ?? { balance: 0, vault_count: 0, is_complete: count > 0 }
    held.set(address, { ...before, balance: before.balance + balance, vault_count: before.vault_count + count })
  }
  for (const history of last.values()) {
    const { owner, balance } = history.at(-1) as State
    if (owner !== '') add(owner, balance, 1)
  }
  for (const { address, change } of moved) {
    if (!all.some(({ owner }) => owner === address)) add(address, change, 0)
  }
  return Object.fromEntries([...held].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Rows that a derivation finds in a segment of the chain. */
interface Found {
  readonly states: readonly State[]
  readonly changes: readonly Change[]
}

/** Heights that are derived together. */
const step = 3
const nothing: Found = { states: [], changes: [] }

const found: fc.Arbitrary<Found> = fc.record({ states, changes })

/** Farm operations, by the first height of a segment. */
type Event =
  | { readonly what: 'derive'; readonly from: number; readonly version: number }
  | { readonly what: 'roll back'; readonly to: number }

const piece = fc.constantFrom(0, 3, 6, 9)
const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ what: fc.constant('derive' as const), from: piece, version: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('roll back' as const), to: fc.nat(end) }) },
  ),
  { maxLength: 14 },
)

describe('ft_holdings_worker', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const reset = async (): Promise<void> => {
    await database.pool.query(`truncate ${derivedTables.join(', ')}`)
  }
  /** Replaces the rows of a segment by those of a derivation. */
  const derive = async (from: number, to: number, { states: all, changes: moved }: Found): Promise<void> => {
    const output = new RangeOutput(ftHoldingsWorker)
    const isIn = ({ height }: { height: number }): boolean => height >= from && height < to
    const vaults = output.rows('app.ft_vault_balances')
    for (const { height, vault, owner, balance } of all.filter(isIn)) {
      vaults.row(6)
      vaults.int8(vault)
      vaults.int4(height)
      vaults.int2(0)
      vaults.bytea(Buffer.from(owner.slice(2), 'hex'))
      vaults.text(token)
      vaults.numeric(`${balance}.00000000`)
    }
    const sums = output.rows('app.ft_balance_changes')
    for (const { height, address, change } of moved.filter(isIn)) {
      sums.row(4)
      sums.int8(height)
      sums.text(address)
      sums.text(token)
      sums.numeric(`${change}.00000000`)
    }
    await commitOutput(database.pool, ftHoldingsWorker, { from, to }, output)
  }
  const held = async (): Promise<object> => {
    const { rows } = await database.pool.query<Holding & { address: string }>(
      `select address, balance::int, vault_count::int, is_complete from app.ft_holdings
       where vault_count > 0 or not is_complete order by address`,
    )
    return Object.fromEntries(rows.map(({ address, ...rest }) => [address, rest]))
  }

  it('moves a vault with its account, and removes it when it is destroyed', async () => {
    await reset()
    const [alice = '', bob = ''] = owners
    const one = { balance: 5, vault_count: 1, is_complete: true }
    await derive(1, 2, { ...nothing, states: [{ height: 1, vault: 0, owner: alice, balance: 5 }] })
    expect(await held()).to.deep.equal({ [alice]: one })
    await derive(2, 3, { ...nothing, states: [{ height: 2, vault: 0, owner: bob, balance: 5 }] })
    expect(await held()).to.deep.equal({ [bob]: one })
    await derive(3, 4, { ...nothing, states: [{ height: 3, vault: 0, owner: '', balance: 0 }] })
    expect(await held()).to.deep.equal({})
    await rollBackDerived(database.pool, 3)
    expect(await held()).to.deep.equal({ [bob]: one })
    await rollBackDerived(database.pool, 2)
    expect(await held()).to.deep.equal({ [alice]: one })
  })

  it('removes rows that a second derivation no longer finds', async () => {
    await reset()
    const [alice = '', bob = ''] = owners
    await derive(0, 3, {
      states: [
        { height: 1, vault: 0, owner: alice, balance: 5 },
        { height: 2, vault: 1, owner: bob, balance: 3 },
      ],
      changes: [{ height: 1, address: '0x00000000000000c0', change: 4 }],
    })
    expect(Object.keys(await held())).to.deep.equal([alice, bob, '0x00000000000000c0'])
    await derive(0, 3, { ...nothing, states: [{ height: 2, vault: 1, owner: bob, balance: 3 }] })
    expect(Object.keys(await held())).to.deep.equal([bob])
  })

  it('matches the vaults, for any order of derivations, rollbacks and changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(found, found), events, async (versions, all) => {
        await reset()
        const derived = new Map<number, Found>()
        for (const event of all) {
          if (event.what === 'derive') {
            const { from } = event
            const now = versions[event.version] ?? nothing
            await derive(from, from + step, now)
            derived.set(from, within(now, from, from + step))
          } else {
            await rollBackDerived(database.pool, event.to)
            for (const [from, one] of derived) derived.set(from, within(one, 0, event.to))
          }
        }
        const left = [...derived.values()]
        const expected = heldAfter(
          left.flatMap((one) => one.states),
          left.flatMap((one) => one.changes),
        )
        expect(await held()).to.deep.equal(expected)
      }),
      { numRuns: 40 },
    )
  })

  it('matches the vaults when several ranges are derived again at once', async () => {
    const pieces = [0, 3, 6, 9] as const
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(found, found),
        fc.uniqueArray(piece, { minLength: 1 }),
        async ([first, second], again) => {
          await reset()
          for (const from of pieces) await derive(from, from + step, first)
          await Promise.all(again.map((from) => derive(from, from + step, second)))
          const left = pieces.map((from) => within(again.includes(from) ? second : first, from, from + step))
          const expected = heldAfter(
            left.flatMap((one) => one.states),
            left.flatMap((one) => one.changes),
          )
          expect(await held()).to.deep.equal(expected)
        },
      ),
      { numRuns: 30 },
    )
  })
})

function within({ states: all, changes: moved }: Found, from: number, to: number): Found {
  const isIn = ({ height }: { height: number }): boolean => height >= from && height < to
  return { states: all.filter(isIn), changes: moved.filter(isIn) }
}
