import { expect } from 'chai'
import * as fc from 'fast-check'
import { workers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import type { HeightRange } from '../../src/base/ranges.ts'
import type { DecodedBlock } from '../../src/chain/decoded-block.ts'
import { ufix64Text, ufix64Units } from '../../src/chain/tokens/ufix64.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto, derivedDigest, derivedTables, rollBackDerived } from '../support/derived-tables.ts'
import { namedAccounts, truthOf } from '../support/recording-notes.ts'
import type { Truth } from '../support/recording-notes.ts'

const flow = 'A.0ae53cb6e3f42a79.FlowToken'
const fees = '0xe5a8b7f23e8b548f'

describe('derived state', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]
  let truth: Truth
  let named: Readonly<Record<string, string>>
  let inOnePass: Record<string, string>

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
    truth = await truthOf('base')
    named = await namedAccounts('base')
    for (const worker of workers) {
      const problems = await deriveInto(database.pool, worker, blocks, { from: 0, to: blocks.length })
      expect(problems, worker.name).to.deep.equal([])
    }
    inOnePass = await derivedDigest(database.pool)
  })

  after(() => database.drop())

  const holdings = async (): Promise<Map<string, string>> => {
    const { rows } = await database.pool.query<{ key: string; balance: string }>(
      `select address || ' ' || token as key, balance::text as balance from app.ft_holdings`,
    )
    return new Map(rows.map(({ key, balance }) => [key, balance]))
  }
  const trueBalances = (): Map<string, string> => {
    const balances = Object.entries(truth.accounts).flatMap(([address, { vaults }]) =>
      vaults.map(({ type, balance }) => [`${address} ${type.replace(/\.Vault$/, '')}`, balance] as const),
    )
    expect(new Map(balances).size, 'no account has two vaults of a token in storage').to.equal(balances.length)
    return new Map(balances)
  }
  const reset = async (): Promise<void> => {
    await database.pool.query(`truncate ${derivedTables.join(', ')}`)
  }

  it('has the balances of the chain, for every account and token', async () => {
    const held = await holdings()
    const expected = trueBalances()
    // Never moved: vaults that the chain was made with, and an empty one.
    for (const [key, balance] of [
      [`0x01cf0e2f2f715450 ${flow}`, '0.00100000'], [`0x0ae53cb6e3f42a79 ${flow}`, '0.00100000'],
      [`0xee82856bf20e2aa6 ${flow}`, '0.00100000'], [`${named['owner']} A.179b6b1cb6755e31.MossPoints`, '0.00000000'],
    ] as const) {
      expect(expected.get(key), key).to.equal(balance)
      expected.delete(key)
    }
    // What lies in the storage of these accounts is as the chain says, and their contracts hold vaults besides.
    const dev = named['dev'] ?? ''
    const [flowReserve = '', pebbleReserve = ''] = truth.swap_pair_reserves
    expected.set(`${dev} ${flow}`, plus(expected.get(`${dev} ${flow}`), flowReserve))
    expected.set(`${dev} A.179b6b1cb6755e31.PebbleCoin`, pebbleReserve)
    for (const [address, storedVault] of [[named['service'], 0], [fees, undefined]] as const) {
      const { rows } = await database.pool.query<{ stored: string | null; others: string }>(
        `select sum(v.balance) filter (where v.vault_uuid = $3)::text as stored,
           (sum(v.balance) filter (where v.vault_uuid is distinct from $3))::text as others
         from (
           select distinct on (vault_uuid, token) vault_uuid, token, owner, balance from app.ft_vault_balances
           order by vault_uuid, token, block_height desc
         ) v where v.owner = $1 and v.token = $2`,
        [address, flow, storedVault],
      )
      const [row] = rows
      // The fees' own account has a vault in storage that never moved; all that did is its contract's.
      if (storedVault !== undefined) expect(row?.stored).to.equal(expected.get(`${address} ${flow}`))
      expected.set(`${address} ${flow}`, plus(row?.stored ?? undefined, row?.others ?? ''))
    }
    expect(Object.fromEntries(held)).to.deep.equal(Object.fromEntries(expected))
  })

  it('has every item where the chain has it', async () => {
    const { rows } = await database.pool.query<{ item: string; owner: string }>(
      `select * from (
         select distinct on (token, nft_id) token || '.NFT ' || nft_id as item, to_address as owner
         from app.nft_transfers
         order by token, nft_id, block_height desc, tx_index desc, event_index desc, leg desc
       ) as last where owner is not null order by item collate "C"`,
    )
    const expected = Object.entries(truth.accounts).flatMap(([address, { nfts }]) =>
      nfts.map(({ type, id }) => ({ item: `${type} ${id}`, owner: address })))
    expect(rows).to.deep.equal(expected.toSorted((a, b) => (a.item < b.item ? -1 : 1)))
  })

  it('has every account that was created or took part, and when', async () => {
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

  it('is the same by whatever ranges and in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(partitions(blocks.length), fc.infiniteStream(fc.nat()), async (ranges, order) => {
        await reset()
        for (const [worker, range] of scheduled(ranges, order)) await deriveInto(database.pool, worker, blocks, range)
        expect(await derivedDigest(database.pool)).to.deep.equal(inOnePass)
      }),
      { numRuns: 6 },
    )
  }).timeout(120_000)

  it('is the same when ranges are derived again', async () => {
    for (const range of [{ from: 30, to: 90 }, { from: 0, to: 281 }, { from: 280, to: 281 }]) {
      for (const worker of workers) await deriveInto(database.pool, worker, blocks, range)
    }
    expect(await derivedDigest(database.pool)).to.deep.equal(inOnePass)
  })

  it('comes back after a rollback, and is meanwhile as if the blocks had never been', async () => {
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

  it('is right for what it has seen where history starts in the middle', async () => {
    const all = await holdings()
    await reset()
    for (const worker of workers) await deriveInto(database.pool, worker, blocks, { from: 140, to: blocks.length })
    const { rows } = await database.pool.query<{ address: string; token: string; balance: string }>(
      `select address, token, balance::text as balance from app.ft_holdings
       where vault_count = 1 and is_complete and address <> all ($1)`,
      [[named['service'], named['dev']]],
    )
    expect(rows.length).to.be.greaterThan(15)
    for (const { address, token, balance } of rows) {
      expect(balance, `${address} ${token}`).to.equal(all.get(`${address} ${token}`))
    }
  })
})

function byAddress(a: { address: string }, b: { address: string }): number {
  return a.address < b.address ? -1 : 1
}

function plus(a: string | undefined, b: string): string {
  return ufix64Text(ufix64Units(a ?? '0.00000000') + ufix64Units(b))
}

/** All heights below `end`, cut into ranges. */
function partitions(end: number): fc.Arbitrary<HeightRange[]> {
  return fc.uniqueArray(fc.integer({ min: 1, max: end - 1 }), { maxLength: 9 }).map((cuts) => {
    const borders = [0, ...cuts.toSorted((a, b) => a - b), end]
    return borders.slice(1).map((to, i) => ({ from: borders[i] as number, to }))
  })
}

/** Every worker over every range, in an order by chance that runs a worker over a range after those that it follows. */
function* scheduled(
  ranges: readonly HeightRange[], order: fc.Stream<number>,
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
