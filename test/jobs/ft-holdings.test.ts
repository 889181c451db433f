import { expect } from 'chai'
import * as fc from 'fast-check'
import { ensurePartitions } from '../../src/db/partitions.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { deriveInto, rollBackDerived } from '../support/derived-tables.ts'
import { ftHoldingsWorker } from '../../jobs/ft-holdings-worker.ts'

const token = 'A.1654653399040a61.FlowToken'
const owners = ['0x00000000000000a1', '0x00000000000000b0', '']
const end = 12

/** What a vault held after a block. */
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
    height: fc.nat(end - 1), vault: fc.nat(3), owner: fc.constantFrom(...owners), balance: fc.nat(50),
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

/** Every vault counts where it was seen last; where no vault was ever seen in an account, the changes add up. */
function heldAfter(all: readonly State[], moved: readonly Change[]): object {
  const last = Map.groupBy(all.toSorted((a, b) => a.height - b.height), ({ vault }) => vault)
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

describe('ft_holdings_worker', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    for (const name of ['app.ft_vault_balances', 'app.ft_balance_changes']) {
      await ensurePartitions(database.pool, name, 1_000_000, { from: 0, to: end })
    }
  })

  after(() => database.drop())

  const reset = async (): Promise<void> => {
    await database.pool.query('truncate app.ft_vault_balances, app.ft_balance_changes, app.ft_vaults, app.ft_holdings')
  }
  const write = async (all: readonly State[], moved: readonly Change[]): Promise<void> => {
    await database.pool.query(
      `insert into app.ft_vault_balances select h, v, '${token}', o, b, 0, 0
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::numeric[]) as s (h, v, o, b)`,
      [all.map((s) => s.height), all.map((s) => s.vault), all.map((s) => s.owner), all.map((s) => s.balance)],
    )
    await database.pool.query(
      `insert into app.ft_balance_changes select h, a, '${token}', c
       from unnest($1::bigint[], $2::text[], $3::numeric[]) as s (h, a, c)`,
      [moved.map((s) => s.height), moved.map((s) => s.address), moved.map((s) => s.change)],
    )
  }
  const held = async (): Promise<object> => {
    const { rows } = await database.pool.query<Holding & { address: string }>(
      'select address, balance::int, vault_count, is_complete from app.ft_holdings order by address',
    )
    return Object.fromEntries(rows.map(({ address, ...rest }) => [address, rest]))
  }
  const fold = async (from: number, to: number): Promise<void> => {
    await deriveInto(database.pool, ftHoldingsWorker, [], { from, to })
  }

  it('moves a vault with its account, and forgets it when it is no more', async () => {
    await reset()
    const [alice = '', bob = ''] = owners
    const one = { balance: 5, vault_count: 1, is_complete: true }
    await write([{ height: 1, vault: 0, owner: alice, balance: 5 }], [])
    await fold(1, 2)
    expect(await held()).to.deep.equal({ [alice]: one })
    await write([{ height: 2, vault: 0, owner: bob, balance: 5 }], [])
    await fold(2, 3)
    expect(await held()).to.deep.equal({ [bob]: one })
    await write([{ height: 3, vault: 0, owner: '', balance: 0 }], [])
    await fold(3, 4)
    expect(await held()).to.deep.equal({})
    await rollBackDerived(database.pool, 3)
    expect(await held()).to.deep.equal({ [bob]: one })
    await rollBackDerived(database.pool, 2)
    expect(await held()).to.deep.equal({ [alice]: one })
  })

  it('has what vaults hold, in whatever order their history comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(
        states, changes, fc.shuffledSubarray([0, 3, 6, 9], { minLength: 4 }), fc.nat(end),
        async (all, moved, order, rollBackTo) => {
          await reset()
          for (const from of order) {
            const isIn = ({ height }: { height: number }): boolean => height >= from && height < from + 3
            await write(all.filter(isIn), moved.filter(isIn))
            await fold(from, from + 3)
          }
          expect(await held()).to.deep.equal(heldAfter(all, moved))
          await rollBackDerived(database.pool, rollBackTo)
          const isLeft = ({ height }: { height: number }): boolean => height < rollBackTo
          expect(await held()).to.deep.equal(heldAfter(all.filter(isLeft), moved.filter(isLeft)))
        },
      ),
      { numRuns: 40 },
    )
  })
})
