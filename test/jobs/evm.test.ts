import { basename } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { evmWorker } from '../../jobs/evm-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { commitOutput, deriveInto } from '../support/derived-tables.ts'
import { evmTruth } from '../support/evm-annotations.ts'
import type { EvmTruth } from '../support/evm-annotations.ts'
import { foldDigest, inAnyOrder, partitions, rollBackWorker } from '../support/fold-histories.ts'
import { recording, recordingsToProve } from '../support/replay.ts'

const transfersTable = evmWorker.tables[2]?.name ?? ''
const end = 12
/** Heights that are derived and rolled back together. */
const step = 3
const parties = [null, 'a1', 'b2', 'c3']

/** One transfer, at a position given by its index in the list. */
interface Transfer {
  readonly height: number
  readonly token: string
  readonly standard: 20 | 721 | 1155
  readonly from: string | null
  readonly to: string | null
  readonly tokenId: string | null
  readonly amount: number
}

interface Holding {
  readonly key: string
  readonly balance: string
}

interface Token {
  readonly token: string
  readonly standard: number
  readonly first_height: number
  readonly transfer_count: number
  readonly holder_count: number
  readonly short_count: number
}

const transfer: fc.Arbitrary<Transfer> = fc
  .record({
    height: fc.nat(end - 1),
    token: fc.constantFrom('t1', 't2'),
    standard: fc.constantFrom(20, 721, 1155),
    from: fc.constantFrom(...parties),
    to: fc.constantFrom(...parties),
    amount: fc.nat(3),
    id: fc.nat(1),
  })
  .map(({ id, ...rest }): Transfer => ({
    ...rest,
    tokenId: rest.standard === 20 ? null : `${id}`,
    amount: rest.standard === 721 ? 1 : rest.amount,
  }))
const transfers = fc.array(transfer, { maxLength: 25 })

type Event =
  | { readonly what: 'derive'; readonly from: number; readonly version: number }
  | { readonly what: 'roll back'; readonly to: number }

const piece = fc.constantFrom(0, 3, 6, 9)
const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ what: fc.constant('derive' as const), from: piece, version: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('roll back' as const), to: fc.nat(end) }) },
  ),
  { maxLength: 10 },
)

/** Balances: of each item or kind, and the total as `all`. */
function heldAfter(all: readonly Transfer[]): Map<string, number> {
  const held = new Map<string, number>()
  for (const { token, standard, from, to, tokenId, amount } of all) {
    for (const [address, change] of [
      [from, -amount],
      [to, amount],
    ] as const) {
      for (const id of tokenId === null ? ['all'] : ['all', tokenId]) {
        const key = `${address ?? ''} ${token} ${standard} ${id}`
        if (address !== null) held.set(key, (held.get(key) ?? 0) + change)
      }
    }
  }
  return new Map([...held].filter(([, balance]) => balance !== 0))
}

function holdingsAfter(all: readonly Transfer[]): Holding[] {
  return [...heldAfter(all)].map(([key, balance]) => ({ key, balance: `${balance}` })).toSorted(byKey)
}

function tokensAfter(all: readonly Transfer[]): Token[] {
  const held = [...heldAfter(all)]
  const ofToken = Map.groupBy(all, ({ token, standard }) => `${token} ${standard}`)
  return [...ofToken]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, moved]) => {
      const balances = held.filter(([key]) => key.endsWith(` ${name} all`)).map(([, balance]) => balance)
      const [token = '', standard] = name.split(' ')
      return {
        token,
        standard: Number(standard),
        first_height: Math.min(...moved.map(({ height }) => height)),
        transfer_count: moved.length,
        holder_count: balances.filter((balance) => balance > 0).length,
        short_count: balances.filter((balance) => balance < 0).length,
      }
    })
}

function byKey(a: Holding, b: Holding): number {
  return a.key < b.key ? -1 : 1
}

describe('EVM tokens and their holders', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]
  let truth: EvmTruth

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
    truth = await evmTruth('base')
  })

  after(() => database.drop())

  const reset = async (): Promise<void> => {
    const { tables, folds } = evmWorker
    await database.pool.query(`truncate ${[...tables, ...folds].map(({ name }) => name).join(', ')}`)
  }
  const derive = async (range: HeightRange): Promise<void> => {
    expect(await deriveInto(database.pool, evmWorker, blocks, range)).to.deep.equal([])
  }
  const holdings = async (): Promise<Holding[]> => {
    const { rows } = await database.pool.query<Holding>(`
      select concat_ws(' ', address, token, standard, 'all') as key, balance::text from app.evm_token_holdings
      union all select concat_ws(' ', address, token, standard, token_id), balance::text from app.evm_token_items`)
    return rows.toSorted(byKey)
  }
  const tokens = async (): Promise<Token[]> => {
    const { rows } = await database.pool.query<Token>(`
      select token, standard, first_height::int, transfer_count::int, holder_count::int, short_count::int
      from app.evm_tokens order by token || ' ' || standard`)
    return rows
  }
  /** Replaces the rows of a segment by those of a derivation. */
  const write = async (range: HeightRange, found: readonly Transfer[]): Promise<void> => {
    const output = new RangeOutput(evmWorker)
    const rows = output.rows(transfersTable)
    const ofRange = found.filter(({ height }) => height >= range.from && height < range.to)
    for (const [i, { height, token, standard, from, to, tokenId, amount }] of ofRange.entries()) {
      rows.row(11)
      rows.int8(height)
      for (const index of [0, i, 0, 0]) rows.int4(index)
      rows.int2(standard)
      rows.text(token)
      for (const address of [from, to]) {
        if (address === null) rows.null()
        else rows.text(address)
      }
      if (tokenId === null) rows.null()
      else rows.numeric(tokenId)
      rows.numeric(`${amount}`)
    }
    await commitOutput(database.pool, evmWorker, range, output)
  }

  for (const name of recordingsToProve) {
    it(`match the chain of the recording ${basename(name)} wherever it has data`, async () => {
      for (const version of (await recording(name)).versions.keys()) {
        await reset()
        const all = await decodedRecording(name, { version })
        expect(await deriveInto(database.pool, evmWorker, all, { from: 0, to: all.length })).to.deep.equal([])
        const { contracts, holders } = await evmTruth(name, version)
        const { rows } = await database.pool.query<{ key: string; balance: string }>(`
          select '0x' || address || ' 0x' || token as key, sum(balance)::text as balance
          from app.evm_token_holdings group by 1`)
        const held = new Map(rows.map(({ key, balance }) => [key, balance]))
        for (const [address, balances] of Object.entries(holders)) {
          for (const [contract, token] of Object.entries(contracts)) {
            const place = `${version} ${contract} of ${address}`
            if (contract in balances) expect(held.get(`${address} ${token}`) ?? '0', place).to.equal(balances[contract])
          }
        }
        for (const { token, holder_count: holderCount } of await tokens()) {
          const [contract = ''] = Object.entries(contracts).find(([, address]) => address === `0x${token}`) ?? []
          const holding = Object.values(holders).filter((balances) => (balances[contract] ?? '0') !== '0')
          expect(holderCount, `holders of ${contract}`).to.be.at.least(holding.length)
        }
      }
    })
  }

  it('have their first transfer, transfer count and holder count', async () => {
    await reset()
    await derive({ from: 0, to: blocks.length })
    const {
      contracts: { Coin = '', Badge = '' },
    } = truth
    expect((await tokens()).map((token) => ({ ...token, token: `0x${token.token}` }))).to.deep.equal(
      [
        { token: Badge, standard: 721, first_height: 110, transfer_count: 7, holder_count: 4, short_count: 0 },
        { token: Coin, standard: 20, first_height: 105, transfer_count: 35, holder_count: 7, short_count: 0 },
      ].toSorted((a, b) => (a.token < b.token ? -1 : 1)),
    )
  })

  it('have one owner per item', async () => {
    const { rows } = await database.pool.query<{ owners: number }>(
      'select count(*)::int as owners from app.evm_token_items where standard = 721 group by token, token_id',
    )
    expect(rows.length).to.be.greaterThan(3)
    expect(rows.every(({ owners }) => owners === 1)).to.equal(true)
  })

  it('are independent of ranges, order and rollbacks', async () => {
    await reset()
    await derive({ from: 0, to: blocks.length })
    const inOnePass = await foldDigest(database.pool, evmWorker)
    await fc.assert(
      fc.asyncProperty(inAnyOrder(partitions(blocks.length)), async (ranges) => {
        await reset()
        for (const range of ranges) await derive(range)
        expect(await foldDigest(database.pool, evmWorker)).to.equal(inOnePass)
      }),
      { numRuns: 5 },
    )
    await rollBackWorker(database.pool, evmWorker, 120)
    const rolledBack = await foldDigest(database.pool, evmWorker)
    await derive({ from: 120, to: blocks.length })
    expect(await foldDigest(database.pool, evmWorker)).to.equal(inOnePass)
    await reset()
    await derive({ from: 0, to: 120 })
    expect(await foldDigest(database.pool, evmWorker)).to.equal(rolledBack)
  })

  it('are marked incomplete if history starts in the middle', async () => {
    await reset()
    await derive({ from: 130, to: blocks.length })
    const coin = (await tokens()).find(({ token }) => `0x${token}` === truth.contracts['Coin'])
    expect(coin?.first_height).to.be.greaterThan(129)
    expect(coin?.short_count).to.be.greaterThan(0)
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(*)::int from app.evm_token_holdings where balance < 0',
    )
    expect(rows[0]?.count).to.be.greaterThan(0)
    await derive({ from: 0, to: 130 })
    expect((await tokens()).map(({ short_count }) => short_count)).to.deep.equal([0, 0])
  })

  it('follow from the present transfers after any derivations and rollbacks', async () => {
    await fc.assert(
      fc.asyncProperty(transfers, transfers, events, async (one, other, history) => {
        await reset()
        let present: readonly Transfer[] = []
        for (const event of history) {
          if (event.what === 'roll back') {
            await rollBackWorker(database.pool, evmWorker, event.to)
            present = present.filter(({ height }) => height < event.to)
            continue
          }
          const range = { from: event.from, to: event.from + step }
          const isIn = ({ height }: Transfer): boolean => height >= range.from && height < range.to
          const found = (event.version === 0 ? one : other).filter(isIn)
          await write(range, found)
          present = [...present.filter((row) => !isIn(row)), ...found]
          expect(await holdings()).to.deep.equal(holdingsAfter(present))
          expect(await tokens()).to.deep.equal(tokensAfter(present))
        }
        expect(await holdings()).to.deep.equal(holdingsAfter(present))
        expect(await tokens()).to.deep.equal(tokensAfter(present))
      }),
      { numRuns: 30 },
    )
  })
})
