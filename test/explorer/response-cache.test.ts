import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import type { List } from '../../src/explorer/paging/pages.ts'
import { ResponseCache } from '../../src/platform/http/response-cache.ts'
import type { Block } from '../../src/explorer/blocks/schema.ts'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('cached responses', () => {
  let database: TestDatabase
  let api: RunningApi
  /** For remote clients, whose expensive calls are limited. */
  let remote: RunningApi
  const cache = new ResponseCache({ maxAgeMs: 3_600_000 })

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 120)
    api = await runApi(database.url, { server: { responseCache: cache } })
    remote = await runApi(database.url, {
      server: { responseCache: cache, clientOf: () => ({ address: '203.0.113.1', isLocal: false }) },
    })
  })

  after(async () => {
    await api.stop()
    await remote.stop()
    await database.drop()
  })

  const deriveAll = (): Promise<unknown> =>
    database.pool.query(
      `insert into app.indexing_checkpoints (service_name, covered) select unnest($1::text[]), '{[1,1000)}'
     on conflict (service_name) do update set covered = excluded.covered`,
      [workers.map(({ name }) => name)],
    )

  it('equal the original in body and headers, except for request headers', async () => {
    const responses = [await api.get('/flow/block?limit=3'), await api.get('/flow/block?limit=3')]
    const [first, second] = await Promise.all(
      responses.map(async (response) => {
        // Cached responses have a length; others are compressed while they are sent.
        const {
          'x-request-id': id,
          date,
          'content-length': length,
          'transfer-encoding': transfer,
          ...headers
        } = Object.fromEntries(response.headers)
        expect(length ?? transfer).to.be.a('string')
        return { id, date, headers, body: await response.text() }
      }),
    )
    expect(second?.headers).to.deep.equal(first?.headers)
    expect(second?.body).to.equal(first?.body)
    expect(second?.id).to.not.equal(first?.id)
    const tag = first?.headers['etag'] ?? ''
    expect((await api.get('/flow/block?limit=3', { headers: { 'If-None-Match': tag } })).status).to.equal(304)
  })

  it('are compressed in the accepted encoding', async () => {
    const plain = await (await api.get('/flow/block?limit=20', { headers: { 'Accept-Encoding': 'identity' } })).text()
    for (const accept of ['gzip, deflate, br, zstd', 'gzip, br', 'gzip', 'identity', 'gzip;q=0', '*']) {
      const get = (): Promise<Response> => api.get('/flow/block?limit=20', { headers: { 'Accept-Encoding': accept } })
      cache.dropCurrent()
      const [made, again, oftener] = [await get(), await get(), await get()]
      const headersOf = ({ headers }: Response): (string | null)[] =>
        ['content-encoding', 'vary', 'etag', 'content-type'].map((name) => headers.get(name))
      expect(headersOf(again), accept).to.deep.equal(headersOf(made))
      expect(headersOf(oftener), accept).to.deep.equal(headersOf(made))
      for (const response of [made, again, oftener]) expect(await response.text()).to.equal(plain)
    }
  })

  it('are invalidated by the next commit', async () => {
    const newest = async (): Promise<number | undefined> =>
      (await api.json<List<Block>>('/flow/block?limit=1')).data[0]?.height
    expect(await newest()).to.equal(120)
    await storeBlocks(database.pool, 121, 121)
    expect(await newest()).to.equal(120)
    cache.dropCurrent()
    expect(await newest()).to.equal(121)
  })

  it('last longer and survive commits if clients may cache them', async () => {
    const settled = new ResponseCache({ maxAgeMs: 3_600_000 })
    const other = await runApi(database.url, { server: { responseCache: settled, maxReorgDepth: 5 } })
    try {
      await deriveAll()
      for (const path of ['/flow/block/100', '/flow/block/120']) await (await other.get(path)).text()
      expect([settled.find('/flow/block/100')?.isLasting, settled.find('/flow/block/120')?.isLasting]).to.deep.equal([
        true,
        false,
      ])
      settled.dropCurrent()
      expect(settled.find('/flow/block/100'), 'a settled response after a commit').to.not.equal(undefined)
      expect(settled.find('/flow/block/120')).to.equal(undefined)
      settled.clear()
      expect(settled.find('/flow/block/100')).to.equal(undefined)
    } finally {
      await other.stop()
    }
  })

  it('are stored after a 304', async () => {
    const path = '/flow/block?limit=7'
    const tag = (await api.get(path)).headers.get('etag') ?? ''
    cache.clear()
    expect((await api.get(path, { headers: { 'If-None-Match': tag } })).status).to.equal(304)
    expect(cache.find(path)).to.not.equal(undefined)
    expect(cache.isUncacheable(path)).to.equal(false)
    const again = await api.get(path, { headers: { 'If-None-Match': tag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).to.deep.equal([304, '', tag])
    expect((await api.json<List<Block>>(path)).data).to.have.length(7)
  })

  it('are immutable only while all their workers have derived the height', async () => {
    const other = await runApi(database.url, { server: { maxReorgDepth: 5 } })
    const cachingOf = async (path: string): Promise<string | null> => {
      const response = await other.get(path)
      await response.text()
      return response.headers.get('cache-control')
    }
    const paths = [
      '/flow/block/101',
      `/flow/block/${chainBlock(101).id}`,
      '/flow/block/101/transaction',
      `/flow/transaction/${chainBlock(101).transactions[0]?.id}`,
    ]
    const settled = 'public, max-age=3600'
    const expectAll = async (caching: string, why: string): Promise<void> => {
      for (const path of paths) expect(await cachingOf(path), `${path}: ${why}`).to.equal(caching)
    }
    const removed = (worker: string): Promise<unknown> =>
      database.pool.query(
        "update app.indexing_checkpoints set covered = covered - '{[101,102)}' where service_name = $1",
        [worker],
      )
    try {
      await database.pool.query('delete from app.indexing_checkpoints where service_name = any ($1)', [
        workers.map(({ name }) => name),
      ])
      await expectAll('no-cache', 'nothing is derived')
      await deriveAll()
      await expectAll(settled, 'all is derived')
      await removed('token_worker')
      await expectAll('no-cache', 'transfers are to be derived again')
      await deriveAll()
      await removed('nft_ownership_worker')
      await expectAll(settled, 'a worker that the answers do not use')
      await database.pool.query(
        "insert into raw.unavailable (block_height, part, reason, endpoint) values (101, 'results', '', '')",
      )
      await expectAll('no-cache', 'no node serves the results')
    } finally {
      await database.pool.query('delete from raw.unavailable')
      await other.stop()
    }
  })

  it('are stored after a client hit its slot limit', async () => {
    cache.clear()
    const path = '/insights/big-transfers?limit=3'
    const locking = await database.pool.connect()
    try {
      await locking.query('begin; lock table app.big_transfers in access exclusive mode')
      // Identical calls are shared, so different ones exhaust the client's slots.
      const calls = Array.from({ length: 24 }, (_, i) => remote.get(`/insights/big-transfers?limit=${i + 10}`))
      const over = remote.get('/insights/big-transfers?limit=9')
      expect((await Promise.race([...calls, over])).status).to.equal(429)
      expect((await remote.get(path)).status).to.equal(429)
      expect(cache.isUncacheable(path)).to.equal(false)
      await locking.query('rollback')
      await Promise.all([...calls, over])
    } finally {
      locking.release()
    }
    expect((await remote.get(path)).status).to.equal(200)
    expect(cache.find(path)).to.not.equal(undefined)
  })

  it('exclude errors and volatile responses', async () => {
    for (const path of ['/flow/block/9999', '/flow/block?limit=x', '/status']) await (await api.get(path)).text()
    for (const path of ['/flow/block/9999', '/flow/block?limit=x', '/status'])
      expect(cache.find(path), path).to.equal(undefined)
  })
})
