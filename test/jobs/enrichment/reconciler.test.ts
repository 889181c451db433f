import { expect } from 'chai'
import fc from 'fast-check'
import { nftOwnershipReconciler } from '../../../jobs/enrichment/nft-ownership-reconciler.ts'
import { EnrichmentLoop } from '../../../src/farm/enrichment/enrichment-loop.ts'
import { cdc, plain, refuse, texts } from '../../support/script-node.ts'
import { EnrichmentWorld } from '../../support/enrichment-world.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { textOf } from '../../support/text-of.ts'

const stones = 'A.179b6b1cb6755e31.RiverStones'
const boats = 'A.179b6b1cb6755e31.PaperBoats'
const [alice, bob, carol] = ['0xe03daebed8ca0615', '0x045a1763c93006ca', '0x120e725050340cab'] as const
const holders = [alice, bob, carol]

describe('the NFT ownership reconciler', () => {
  let database: TestDatabase
  let world: EnrichmentWorld
  /** Ids by holder and collection on the chain. Missing holders have no collection. */
  let chain: Map<string, number[]>
  /** Longer id lists exceed the computation limit. */
  let maxListed = Infinity

  before(async () => {
    database = await createTestDatabase()
    world = await EnrichmentWorld.start(database)
  })
  beforeEach(async () => {
    await database.pool.query(`
      truncate app.nft_ownership, app.nft_holdings, app.nft_holder_checks, app.nft_ownership_corrections, app.nft_items, app.asking_walks, app.indexing_checkpoints;
      insert into app.indexing_checkpoints (service_name, covered) values ('nft_ownership_worker', '{[0,101)}')`)
    world.node.scripts.length = 0
    world.node.refusal = undefined
    chain = new Map()
    maxListed = Infinity
    world.answer({
      nft_holder_ids: ({ args: [holder, prefix, , from, count] }) => {
        const ids = chain.get(`${textOf(plain(holder))} ${textOf(plain(prefix))}`)
        if ((ids?.length ?? 0) > maxListed) refuse('RESOURCE_EXHAUSTED', 'script execution computation limit exceeded')
        const page = (ids ?? []).slice(Number(plain(from)), Number(plain(from)) + Number(plain(count)))
        return cdc.struct({
          collections: cdc.int(ids === undefined ? 0 : 1),
          total: cdc.int(ids?.length ?? 0),
          ids: cdc.array(page.map(cdc.uint64)),
        })
      },
      nft_holder_check: ({ args: [holder, prefix, , ids] }) => {
        const held = new Set((chain.get(`${textOf(plain(holder))} ${textOf(plain(prefix))}`) ?? []).map(String))
        return cdc.array(texts(ids).map((id) => cdc.bool(held.has(id))))
      },
    })
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  const holds = (holder: string, ids: number[], token = stones): void => void chain.set(`${holder} ${token}.`, ids)
  const eventsSay = async (
    owner: string,
    ids: readonly number[],
    { token = stones, height = 50 } = {},
  ): Promise<void> => {
    await database.pool.query(
      `
      insert into app.nft_ownership (token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner)
      select $1, id, null, $3, 0, 0, 0, false, $4 from unnest($2::numeric[]) as i (id)
      on conflict (token, nft_id) do update set block_height = excluded.block_height, owner = excluded.owner`,
      [token, ids, height, owner],
    )
    await database.pool.query(`
      truncate app.nft_holdings; insert into app.nft_holdings select owner, token, count(*) from app.nft_ownership group by 1, 2`)
  }
  const corrections = () =>
    world.rows(`
    select nft_id::int as id, owner, not_in, checked_height::int as height from app.nft_ownership_corrections order by nft_id`)
  const againAt = async (height: number, processes = 1): Promise<void> => {
    await database.pool.query(
      `update app.indexing_checkpoints set covered = int8multirange(int8range(0, $1::bigint + 1))`,
      [height],
    )
    await database.pool.query('update app.nft_holder_checks set next_ask_at = now()')
    await Promise.all(Array.from({ length: processes }, () => world.run(nftOwnershipReconciler, { range: 1 })))
  }

  it('finds items without events and missing items, and does not change owners that events show', async () => {
    await eventsSay(alice, [1, 2, 3])
    await eventsSay(bob, [4])
    holds(alice, [1, 2, 4, 9])
    holds(bob, [])
    const before = await world.rows('select * from app.nft_ownership order by nft_id')
    await world.run(nftOwnershipReconciler)
    expect(await corrections()).to.deep.equal(
      [
        { id: 3, owner: null, not_in: alice, height: 100 },
        { id: 4, owner: alice, not_in: bob, height: 100 },
        { id: 9, owner: alice, not_in: null, height: 100 },
      ].map((row) => (row.id === 4 ? { ...row, not_in: null } : row)),
    )
    expect(await world.rows('select * from app.nft_ownership order by nft_id')).to.deep.equal(before)
    expect(
      await world.rows(
        'select holder, checked_height::int, held_count::int, status from app.nft_holder_checks order by holder',
      ),
    ).to.deep.equal([
      { holder: bob, checked_height: 100, held_count: 0, status: 'answered' },
      { holder: alice, checked_height: 100, held_count: 4, status: 'answered' },
    ])
    expect(await world.rows('select nft_id::int as id, owner from app.nft_owners order by nft_id')).to.deep.equal([
      { id: 1, owner: alice },
      { id: 2, owner: alice },
      { id: 3, owner: null },
      { id: 4, owner: alice },
      { id: 9, owner: alice },
    ])
  })

  it('queries the state at the derived height, and later events take precedence', async () => {
    await eventsSay(alice, [1, 2])
    await eventsSay(bob, [3], { height: 101 })
    holds(alice, [1, 3])
    await world.run(nftOwnershipReconciler)
    expect([...new Set(world.calls('nft_holder_ids').map(({ height }) => height))]).to.deep.equal([100])
    expect(await corrections()).to.deep.equal([{ id: 2, owner: null, not_in: alice, height: 100 }])
    await eventsSay(carol, [2], { height: 102 })
    expect(await world.rows('select owner from app.nft_owners where nft_id = 2')).to.deep.equal([{ owner: carol }])
    holds(carol, [2])
    holds(bob, [3])
    holds(alice, [1])
    await againAt(103)
    expect(await corrections()).to.deep.equal([])
  })

  it('ignores accounts without a collection in their storage', async () => {
    await eventsSay(alice, [1])
    await world.run(nftOwnershipReconciler)
    expect(await corrections()).to.deep.equal([])
    expect(await world.rows('select status, last_error_code from app.nft_holder_checks')).to.deep.equal([
      { status: 'none', last_error_code: 'no-collection' },
    ])
  })

  it('checks all holders, least recently checked first', async () => {
    await eventsSay(alice, [1])
    await database.pool.query(
      `insert into app.nft_holdings select '0x' || lpad(to_hex(i), 16, '0'), $1, 1 from generate_series(1, 30) i`,
      [stones],
    )
    await world.run(nftOwnershipReconciler)
    const queried = (): unknown[] => world.calls('nft_holder_ids').map(({ args }) => plain(args[0]))
    expect(queried()).to.have.lengthOf(31)
    expect(new Set(queried()).size).to.equal(31)
    await database.pool.query(`
      update app.nft_holder_checks c set next_ask_at = now() - interval '1 minute' * o.place
      from (select holder, row_number() over (order by md5(holder)) as place from app.nft_holder_checks) o where o.holder = c.holder`)
    const order = await world.rows<{ holder: string }>('select holder from app.nft_holder_checks order by next_ask_at')
    world.node.scripts.length = 0
    await world.run(nftOwnershipReconciler)
    const batchOf = (list: readonly unknown[], i: number): unknown[] => list.slice(4 * i, 4 * i + 4)
    for (let i = 0; i < 8; i++)
      expect(batchOf(queried(), i)).to.have.members(
        batchOf(
          order.map(({ holder }) => holder),
          i,
        ),
      )
  })

  it('reads large holders page by page at one height', async () => {
    const ids = Array.from({ length: 25_000 }, (_, i) => i)
    holds(alice, ids)
    await eventsSay(alice, [...ids.slice(0, 24_990), 30_000])
    await world.run(nftOwnershipReconciler)
    const calls = world.calls('nft_holder_ids')
    expect(calls.map(({ args, height }) => [plain(args[3]), height])).to.deep.equal([
      ['0', 100],
      ['10000', 100],
      ['20000', 100],
    ])
    const found = await world.rows<{ id: number; owner: string | null }>(
      'select nft_id::int as id, owner from app.nft_ownership_corrections order by nft_id',
    )
    expect(found).to.deep.equal([...ids.slice(24_990).map((id) => ({ id, owner: alice })), { id: 30_000, owner: null }])
  })

  it('looks up the known items of oversized holders in pieces, then retries to list them', async () => {
    maxListed = 100
    const ids = Array.from({ length: 1200 }, (_, i) => i)
    holds(alice, ids.slice(0, 1190))
    await eventsSay(alice, ids)
    await world.run(nftOwnershipReconciler)
    expect(world.calls('nft_holder_check').map(({ args }) => texts(args[3]).length)).to.deep.equal([500, 500, 200])
    expect(
      (await corrections()).map((row) => [(row as { id: number }).id, (row as { not_in: string }).not_in]),
    ).to.deep.equal(ids.slice(1190).map((id) => [id, alice]))
    expect(await world.rows('select is_listed, checked_up_to, status from app.nft_holder_checks')).to.deep.equal([
      { is_listed: true, checked_up_to: null, status: 'answered' },
    ])
    maxListed = Infinity
    await againAt(101)
    expect(await corrections()).to.have.lengthOf(10)
    expect(await world.rows('select held_count::int from app.nft_holder_checks')).to.deep.equal([{ held_count: 1190 }])
  })

  it('does not replace a correction by a slower check at a lower height', async () => {
    await eventsSay(alice, [1])
    await eventsSay(bob, [2])
    await eventsSay(carol, [3])
    holds(alice, [])
    holds(carol, [1, 3])
    await database.pool.query(
      `insert into app.nft_holder_checks (holder, token, next_ask_at) values ($1, $2, 'epoch')`,
      [carol, stones],
    )
    const held = Promise.withResolvers<void>()
    const isCalled = Promise.withResolvers<void>()
    const { ledger } = world.node
    world.node.ledger = {
      script: async (call) => {
        const result = await ledger.script?.(call)
        if (call.height === 100) {
          isCalled.resolve()
          await held.promise
        }
        return result ?? refuse('INTERNAL', 'no script')
      },
    }
    const slow = new EnrichmentLoop({ ...world.options(nftOwnershipReconciler), range: 1 })
    const slowRound = slow.round(new AbortController().signal)
    await isCalled.promise
    holds(carol, [3])
    holds(bob, [1, 2])
    await database.pool.query(`update app.indexing_checkpoints set covered = '{[0,111)}'`)
    await world.run(nftOwnershipReconciler)
    held.resolve()
    await slowRound
    expect(await corrections()).to.deep.equal([{ id: 1, owner: bob, not_in: null, height: 110 }])
  })

  it('separates collections', async () => {
    await eventsSay(alice, [1], { token: stones })
    await eventsSay(alice, [1, 2], { token: boats })
    holds(alice, [1], stones)
    holds(alice, [2], boats)
    await world.run(nftOwnershipReconciler)
    expect(await world.rows('select token, nft_id::int as id from app.nft_ownership_corrections')).to.deep.equal([
      { token: boats, id: 1 },
    ])
  })

  it('waits while no data is derived or the state is unavailable, without marking a holder as failing', async () => {
    await eventsSay(alice, [1])
    await database.pool.query('truncate app.indexing_checkpoints')
    const loop = () =>
      world.run(nftOwnershipReconciler).then(
        () => undefined,
        (error: unknown) => (error as { code: string }).code,
      )
    expect(await loop()).to.equal('state-not-served')
    await database.pool.query(
      `insert into app.indexing_checkpoints (service_name, covered) values ('nft_ownership_worker', '{[0,101)}')`,
    )
    world.answer({ nft_holder_ids: () => refuse('OUT_OF_RANGE', 'not indexed') })
    expect(await loop()).to.equal('state-not-served')
    expect(await world.rows('select status, failures from app.nft_holder_checks')).to.deep.equal([
      { status: 'new', failures: 0 },
    ])
  })

  it('has the owners of the chain for readers after all holders were checked, independent of events', async () => {
    const ids = [1, 2, 3, 4, 5, 6]
    const owners = fc.array(fc.constantFrom(...holders, null), { minLength: ids.length, maxLength: ids.length })
    await fc.assert(
      fc.asyncProperty(
        owners,
        fc.array(fc.tuple(owners, owners), { minLength: 1, maxLength: 3 }),
        async (first, changes) => {
          await database.pool.query(`
        truncate app.nft_ownership, app.nft_holdings, app.nft_holder_checks, app.nft_ownership_corrections, app.asking_walks`)
          const say = async (who: readonly (string | null)[], height: number): Promise<void> => {
            for (const holder of holders)
              await eventsSay(
                holder,
                ids.filter((_, i) => who[i] === holder),
                { height },
              )
          }
          // All three are holders in any case.
          for (const [i, holder] of holders.entries()) await eventsSay(holder, [100 + i])
          await say(first, 10)
          let height = 100
          for (const [events, real] of changes) {
            await say(events, height)
            for (const [i, holder] of holders.entries())
              holds(holder, [100 + i, ...ids.filter((_, at) => real[at] === holder)])
            await againAt(++height, 3)
            height++
            const seen = await world.rows<{ id: number; owner: string }>(
              'select nft_id::int as id, owner from app.nft_owners where nft_id < 100 and owner is not null order by nft_id',
            )
            expect(seen).to.deep.equal(
              ids.flatMap((id, i) => (real[i] === null || real[i] === undefined ? [] : [{ id, owner: real[i] }])),
            )
          }
        },
      ),
      { numRuns: 12 },
    )
  })
})
