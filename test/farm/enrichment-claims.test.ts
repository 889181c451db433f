import { expect } from 'chai'
import type pg from 'pg'
import type { EnrichmentTable, EnrichmentWorker, Outcome } from '../../jobs/enrichment/enrichment-worker.ts'
import { tokenMetadataWorker } from '../../jobs/enrichment/token-metadata-worker.ts'
import { EnrichmentLoop } from '../../src/farm/enrichment/enrichment-loop.ts'
import { EnrichmentFarm } from '../../src/farm/enrichment/enrichment-workers.ts'
import { announceFarmWork } from '../../src/platform/db/listen.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { RetryableError } from '../../src/platform/errors.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { EnrichmentWorld, tokenResults, tokenNames } from '../support/enrichment-world.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'

describe('claims of enrichment workers', () => {
  let database: TestDatabase
  let world: EnrichmentWorld
  const stops: (() => Promise<unknown>)[] = []
  const { signal } = new AbortController()

  beforeEach(async () => {
    database = await createTestDatabase()
    world = await EnrichmentWorld.start(database)
    world.answer({ ft_tokens: tokenResults })
  })
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
    await world.stop()
    await database.drop()
  })

  const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await database.pool.query('select pg_sleep(0.01)')
  }
  const untilAnswered = (count: number): Promise<void> =>
    until(async () => {
      const rows = await world.rows(`select from app.ft_token_metadata where status = 'answered'`)
      return rows.length >= count
    })
  const addTokens = (count: number): Promise<unknown> =>
    database.pool.query(
      `insert into app.ft_tokens select 'A.179b6b1cb6755e31.T' || i, i from generate_series(1, $1::int) i`,
      [count],
    )
  const openPool = (): pg.Pool => {
    const pool = createPool(database.url, { max: 3 })
    stops.push(() => pool.end())
    return pool
  }
  /** As in a process of its own. */
  const startFarm = (): void => {
    const controller = new AbortController()
    const { worker, concurrency, range, ...common } = world.options(tokenMetadataWorker)
    const farm = new EnrichmentFarm({
      ...common,
      pool: openPool(),
      databaseUrl: database.url,
      running: [{ worker, concurrency, range }],
      signal: controller.signal,
      roundMs: 10,
      idleMs: 50,
    })
    const running = farm.run()
    stops.push(() => {
      controller.abort(new Error('the test stops it'))
      return running
    })
  }
  const stored = () =>
    world.rows(`select to_jsonb(t) - 'asked_at' - 'next_ask_at' as row from app.ft_token_metadata t order by token`)

  for (const processes of [2, 4]) {
    it(`${processes} processes query each key once, at the same time, and store what one process would`, async () => {
      await addTokens(400)
      await world.run(tokenMetadataWorker)
      const ofOne = await stored()
      expect(ofOne).to.have.lengthOf(400)
      await database.pool.query('truncate app.ft_token_metadata, app.asking_walks')
      world.node.scripts.length = 0
      let pending = 0
      const allQuery = Promise.withResolvers<void>()
      world.answer({
        ft_tokens: async (call) => {
          if (++pending === processes) allQuery.resolve()
          await allQuery.promise
          return tokenResults(call)
        },
      })
      for (let i = 0; i < processes; i++) startFarm()
      await untilAnswered(400)
      const queried = world.calls('ft_tokens').flatMap(tokenNames)
      expect(queried).to.have.lengthOf(400)
      expect(new Set(queried).size).to.equal(400)
      expect(await stored()).to.deep.equal(ofOne)
      expect(await metric('expired')).to.equal(0)
    })
  }

  it('takes over the keys of a killed process, and only these', async () => {
    await database.pool.query(`insert into app.chain (chain_id) values ('flow-emulator')`)
    await addTokens(60)
    const called = Promise.withResolvers<readonly string[]>()
    let calls = 0
    world.answer({
      ft_tokens: (call) => {
        if (++calls > 1) return tokenResults(call)
        called.resolve(tokenNames(call))
        return new Promise<never>(() => undefined)
      },
    })
    const start = (): FlowfarmProcess => {
      const started = new FlowfarmProcess(['farm'], {
        DB_URL: database.url,
        CHAIN_ACCESS_NODE: world.node.endpoint,
        CHAIN_SCRIPT_RPS: '0',
        TOKEN_METADATA_RANGE: '5',
        ENABLE_NETWORK_STATE_WORKER: 'false',
      })
      stops.push(() => started.end('SIGKILL'))
      return started
    }
    const victim = start()
    const claimed = await called.promise
    const heir = start()
    await untilAnswered(55)
    expect(await victim.end('SIGKILL')).to.equal('SIGKILL')
    await until(async () => {
      await announceFarmWork(database.pool)
      return (await world.rows(`select from app.ft_token_metadata where status = 'answered'`)).length === 60
    })
    const queried = world.calls('ft_tokens').flatMap(tokenNames)
    expect(queried.toSorted()).to.deep.equal([...new Set(queried), ...claimed].toSorted())
    expect(await heir.end('SIGTERM'), heir.output()).to.equal(0)
  })

  interface Call {
    readonly feeds: readonly string[]
    readonly respond: (price: number) => void
    readonly fail: (error: Error) => void
  }

  /** Each query waits for the test. */
  function heldWorker(): { readonly worker: EnrichmentWorker; readonly call: () => Promise<Call> } {
    const calls: Call[] = []
    const prices: EnrichmentTable<{ readonly feed: string }> = {
      table: 'app.price_feeds',
      key: [{ column: 'feed', type: 'text' }],
      columns: [{ column: 'price_count', type: 'integer' }],
      batch: 1,
      refresh: { answeredMs: 1e9, noneMs: 1e9, failedMs: 1e9, maxFailedMs: 1e9 },
      query: async (rows) => {
        const { promise, resolve, reject } = Promise.withResolvers<number>()
        calls.push({ feeds: rows.map(({ feed }) => feed), respond: resolve, fail: reject })
        const price = await promise
        return rows.map(({ feed }): Outcome => ({
          kind: 'answered',
          values: { price_count: price },
          writes: [
            {
              text: `insert into app.prices (token, currency, price_time, price) values ($1, 'USD', 'epoch', $2)
                  on conflict (token, currency, price_time) do update set price = excluded.price`,
              values: [feed, price],
            },
          ],
        }))
      },
    }
    const worker: EnrichmentWorker = { name: 'held_worker', description: '', tables: [prices] }
    const call = async (): Promise<Call> => {
      await until(() => Promise.resolve(calls.length > 0))
      return calls.shift() as Call
    }
    return { worker, call }
  }
  const metric = async (outcome: string): Promise<number> => {
    const { values } = await world.metrics.enrichmentKeys.get()
    return values.filter(({ labels }) => labels.outcome === outcome).reduce((sum, { value }) => sum + value, 0)
  }
  const feeds = () =>
    world.rows('select price_count, (select price::int from app.prices) as price from app.price_feeds')

  it('does not store a late result over a newer one', async () => {
    const { worker, call } = heldWorker()
    const rounds = [0, 1].map(() => new EnrichmentLoop({ ...world.options(worker), pool: openPool() }))
    await database.pool.query(`insert into app.price_feeds (feed) values ('a')`)
    const late = rounds[0]?.round(signal)
    const first = await call()
    // As at the end of a claim.
    await database.pool.query('update app.price_feeds set next_ask_at = now()')
    const newer = rounds[1]?.round(signal)
    const second = await call()
    second.respond(2)
    await newer
    expect(await feeds()).to.deep.equal([{ price_count: 2, price: 2 }])
    first.respond(1)
    await late
    expect(await feeds()).to.deep.equal([{ price_count: 2, price: 2 }])
    expect([await metric('answered'), await metric('expired')]).to.deep.equal([1, 1])
  })

  it('renews the claim of a slow query', async () => {
    const { worker, call } = heldWorker()
    await database.pool.query(`insert into app.price_feeds (feed) values ('a')`)
    const running = new EnrichmentLoop({ ...world.options(worker), claimMs: 60 }).round(signal)
    const { respond } = await call()
    const {
      rows: [claimed],
    } = await database.pool.query<{ until: string }>('select next_ask_at::text as until from app.price_feeds')
    await until(async () => (await world.rows(later, [claimed?.until])).length === 1)
    respond(3)
    await running
    expect(await feeds()).to.deep.equal([{ price_count: 3, price: 3 }])
  })
  const later = 'select from app.price_feeds where next_ask_at > $1::timestamptz and now() > $1::timestamptz'

  it('releases the keys of an interrupted query at once, with the times when they were due', async () => {
    const { worker, call } = heldWorker()
    await database.pool.query(
      `insert into app.price_feeds (feed, next_ask_at) values ('a', '1950-01-01T00:00:00.123456Z')`,
    )
    const due = () => world.rows(`select from app.price_feeds where next_ask_at = '1950-01-01T00:00:00.123456Z'`)
    const running = new EnrichmentLoop(world.options(worker)).round(signal).then(
      () => undefined,
      (error: unknown) => error,
    )
    const { fail } = await call()
    expect(await due()).to.have.lengthOf(0)
    const error = new RetryableError('chain-unavailable', 'no node responds')
    fail(error)
    expect(await running).to.equal(error)
    expect(await due()).to.have.lengthOf(1)
  })
})
