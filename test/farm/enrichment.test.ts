import { expect } from 'chai'
import { pino } from 'pino'
import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'
import type { EnrichmentTable, EnrichmentWorker, Outcome } from '../../jobs/enrichment/enrichment-worker.ts'
import { networkStateWorker } from '../../jobs/enrichment/network-state-worker.ts'
import { tokenMetadataWorker } from '../../jobs/enrichment/token-metadata-worker.ts'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import { describeError } from '../../src/platform/log.ts'
import { EnrichmentFarm, countEnrichment } from '../../src/farm/enrichment/enrichment-workers.ts'
import type { EnrichmentFarmOptions } from '../../src/farm/enrichment/enrichment-workers.ts'
import { EnrichmentLoop } from '../../src/farm/enrichment/enrichment-loop.ts'
import { tableSql } from '../../src/farm/enrichment/enrichment-store.ts'
import { announceFarmWork } from '../../src/platform/db/listen.ts'
import { Refusal } from '../../simnode/node/node-view.ts'
import { refuse } from '../support/script-node.ts'
import type { ScriptCall } from '../support/script-node.ts'
import { EnrichmentWorld, tokenResults, tokenNames } from '../support/enrichment-world.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { textOf } from '../support/text-of.ts'
import { Stopwatch } from '../support/stopwatch.ts'

describe('enrichment workers', () => {
  let database: TestDatabase
  let world: EnrichmentWorld
  const farms: { readonly farm: EnrichmentFarm; readonly stop: () => Promise<void> }[] = []
  const processes: FlowfarmProcess[] = []

  beforeEach(async () => {
    database = await createTestDatabase()
    world = await EnrichmentWorld.start(database)
    world.answer({ ft_tokens: tokenResults })
  })
  afterEach(async () => {
    for (const one of processes.splice(0)) await one.end('SIGKILL')
    await Promise.all(farms.splice(0).map(({ stop }) => stop()))
    await world.stop()
    await database.drop()
  })

  /** Polls the database, since enrichment workers do not announce queries. */
  const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await database.pool.query('select pg_sleep(0.01)')
  }
  const addTokens = (count: number, from = 0): Promise<unknown> =>
    database.pool.query(
      `insert into app.ft_tokens select 'A.179b6b1cb6755e31.T' || i, i from generate_series($1::int, $2::int) i`,
      [from, from + count - 1],
    )
  const start = (
    options: Partial<EnrichmentFarmOptions> = {},
  ): { readonly farm: EnrichmentFarm; readonly stop: () => Promise<void> } => {
    const controller = new AbortController()
    const { worker, concurrency, range, ...common } = world.options(tokenMetadataWorker)
    const farm = new EnrichmentFarm({
      ...common,
      databaseUrl: database.url,
      running: [{ worker, concurrency, range }],
      signal: controller.signal,
      roundMs: 10,
      idleMs: 50,
      ...options,
    })
    const running = farm.run()
    const stop = async (): Promise<void> => {
      controller.abort(new Error('the test stops it'))
      await running
    }
    const started = { farm, stop }
    farms.push(started)
    return started
  }
  const untilAnswered = (count: number): Promise<void> =>
    until(async () => {
      const { rows } = await database.pool.query<{ count: string }>(
        `select count(*) from app.ft_token_metadata where status = 'answered'`,
      )
      return Number(rows[0]?.count) >= count
    })
  /** Server processes that hold the lock of a worker, by session. */
  const holders = () =>
    world.rows<{ pid: number }>(`
    select pid from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`)

  it('discovers keys in one process at a time, which is replaced when its session is lost', async () => {
    await addTokens(100)
    start()
    await untilAnswered(100)
    start()
    await addTokens(100, 100)
    await untilAnswered(200)
    expect(new Set((await holders()).map(({ pid }) => pid)).size).to.equal(1)
    expect(farms.filter(({ farm }) => farm.held.length > 0)).to.have.lengthOf(1)
    const [first] = await holders()
    await database.pool.query('select pg_terminate_backend($1)', [first?.pid])
    await until(async () => {
      const [next] = await holders()
      return next !== undefined && next.pid !== first?.pid
    })
    await addTokens(100, 200)
    await untilAnswered(300)
    const queried = world.calls('ft_tokens').flatMap(tokenNames)
    expect(new Set(queried).size).to.equal(300)
    expect(queried.length).to.equal(300)
  })

  it('stops within the limit while a node does not respond', async () => {
    await database.pool.query(`insert into app.chain (chain_id) values ('flow-emulator')`)
    await addTokens(5)
    const called = Promise.withResolvers<void>()
    world.answer({
      ft_tokens: () => {
        called.resolve()
        return new Promise<never>(() => undefined)
      },
    })
    const farm = new FlowfarmProcess(['farm'], { DB_URL: database.url, CHAIN_ACCESS_NODE: world.node.endpoint })
    processes.push(farm)
    await called.promise
    const stopping = new Stopwatch()
    expect(await farm.end('SIGTERM'), farm.output()).to.equal(0)
    await stopping.expectBelow(8000)
  })

  it('is disabled by its setting', async () => {
    await database.pool.query(`insert into app.chain (chain_id) values ('flow-emulator')`)
    await addTokens(5)
    await database.pool.query(
      `insert into app.contract_versions values (1, 0, 0, 'added', '0x179b6b1cb6755e31', 'A', '\\x01')`,
    )
    const farm = new FlowfarmProcess(['farm'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: world.node.endpoint,
      ENABLE_TOKEN_METADATA_WORKER: 'false',
      ENABLE_NETWORK_STATE_WORKER: 'false',
      ENABLE_PRICE_FEED: 'true',
    })
    processes.push(farm)
    await farm.logged(/PRICE_FEED_URL is not/)
    await until(
      async () => (await world.rows(`select from app.contract_code_questions where status <> 'new'`)).length === 1,
    )
    expect(world.node.scripts).to.deep.equal([])
    expect(await world.rows('select * from app.ft_token_metadata')).to.deep.equal([])
    expect(await farm.end('SIGTERM'), farm.output()).to.equal(0)
  })

  it('wakes when the farm announces work', async () => {
    start({ idleMs: 3_600_000 })
    await until(async () => (await world.rows(`select from app.asking_walks`)).length > 0)
    await addTokens(1)
    await until(async () => {
      await announceFarmWork(database.pool)
      return (await world.rows(`select from app.ft_token_metadata where status = 'answered'`)).length === 1
    })
  })

  it('respects the concurrency setting', async () => {
    await addTokens(120)
    let max = 0
    let now = 0
    const gate = Promise.withResolvers<void>()
    world.answer({
      ft_tokens: async (call) => {
        max = Math.max(max, ++now)
        if (now === 3) gate.resolve()
        await gate.promise
        now--
        return tokenResults(call)
      },
    })
    await world.run(tokenMetadataWorker, { concurrency: 3 })
    expect(max).to.equal(3)
  })

  it('queries new keys first, also with a backlog', async () => {
    await addTokens(3000)
    const loop = new EnrichmentLoop(world.options(tokenMetadataWorker))
    const { signal } = new AbortController()
    while ((await world.rows('select from app.ft_token_metadata')).length < 3000) await loop.round(signal)
    await addTokens(1, 5000)
    await loop.round(signal)
    expect(tokenNames(world.calls('ft_tokens').at(-1) as ScriptCall)).to.include('T5000')
  })

  it('log one line, without a stack, for all workers and retries if a node does not execute scripts', async () => {
    const logged: Record<string, unknown>[] = []
    const log = pino(
      { level: 'debug', serializers: { err: describeError } },
      {
        write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>),
      },
    )
    world.node.ledger = { script: () => refuse('UNIMPLEMENTED', 'method ExecuteScriptAtLatestBlock not implemented') }
    await addTokens(3)
    const reader = createChainReader({ liveEndpoints: [world.node.endpoint], log })
    const { context } = world.options(tokenMetadataWorker)
    const running = [tokenMetadataWorker, networkStateWorker].map((worker) => ({ worker, concurrency: 1, range: 1000 }))
    const { stop } = start({ running, log, context: { ...context, reader } })
    const suppressed = (name: string) =>
      logged.filter(({ level, worker, err }) => level === 20 && worker === name && err !== undefined)
    await until(() => Promise.resolve(running.every(({ worker }) => suppressed(worker.name).length >= 3)))
    await stop()
    await reader.close()
    const warned = logged.filter(({ level }) => Number(level) >= 40)
    expect(warned.map(({ msg, err }) => [msg, err])).to.deep.equal([
      ['No source responds: the worker pauses and retries', undefined],
    ])
    expect(warned[0]?.['reason']).to.include('ExecuteScriptAtLatestBlock not implemented')
    expect(suppressed(tokenMetadataWorker.name)[0]).to.have.nested.property('err.stack')
  })

  it('attributes failures to no key while no node responds, and resumes afterwards', async () => {
    await addTokens(10)
    world.node.refusal = new Refusal('UNAVAILABLE', 'going down')
    start()
    await until(() => Promise.resolve(world.node.scripts.length >= 2))
    expect(await world.rows(`select from app.ft_token_metadata where status <> 'new' or failures <> 0`)).to.deep.equal(
      [],
    )
    world.node.refusal = undefined
    await untilAnswered(10)
  })

  it('attributes consecutive failures to the node', async () => {
    await addTokens(20)
    world.answer({
      ft_tokens: (call) =>
        tokenNames(call).some((name) => Number(name.slice(1)) > 4)
          ? refuse('INTERNAL', 'the execution node failed')
          : tokenResults(call),
    })
    const loop = new EnrichmentLoop(world.options(tokenMetadataWorker))
    const error = await loop.round(new AbortController().signal).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect((error as { code: string }).code).to.equal('chain-call-failed')
    const [{ failed, rest } = { failed: 0, rest: 0 }] = await world.rows<{ failed: number; rest: number }>(`
      select count(*) filter (where status = 'failed')::int as failed, count(*) filter (where status = 'new')::int as rest from app.ft_token_metadata`)
    expect(failed).to.be.within(3, 8)
    expect(rest).to.be.greaterThan(0)
    while ((await world.rows(`select from app.ft_token_metadata where status = 'new'`)).length > 0)
      await loop.round(new AbortController().signal).catch(() => undefined)
    expect(await world.rows(`select count(*)::int from app.ft_token_metadata where status = 'answered'`)).to.deep.equal(
      [{ count: 5 }],
    )
  })

  it('keeps successful results of a partly failed round', async () => {
    await addTokens(40)
    world.answer({
      ft_tokens: (call) => {
        if (tokenNames(call).includes('T39')) throw new Refusal('UNAVAILABLE', 'away')
        return tokenResults(call)
      },
    })
    const loop = new EnrichmentLoop({ ...world.options(tokenMetadataWorker), concurrency: 2 })
    const error = await loop.round(new AbortController().signal).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect((error as { code: string }).code).to.equal('chain-unavailable')
    expect(
      await world.rows(`select status, count(*)::int from app.ft_token_metadata group by 1 order by 1`),
    ).to.deep.equal([
      { status: 'answered', count: 20 },
      { status: 'new', count: 20 },
    ])
  })

  it('fails only the key whose result cannot be stored', async () => {
    const outcomes = (values: Record<string, unknown>): Outcome => ({ kind: 'answered', values })
    const table: EnrichmentTable<{ readonly feed: string }> = {
      table: 'app.price_feeds',
      key: [{ column: 'feed', type: 'text' }],
      columns: [{ column: 'price_count', type: 'integer' }],
      batch: 10,
      refresh: { answeredMs: 1e9, noneMs: 1e9, failedMs: 1e9, maxFailedMs: 1e9 },
      scan: {
        text: `select feed from unnest(array['a', 'b', 'c', 'd', 'e']) as f (feed) where feed > coalesce($2, '') order by 1 limit $1`,
      },
      query: (rows) =>
        Promise.resolve(
          rows.map(({ feed }) => {
            if (feed === 'd') throw new TypeError('not what was expected')
            return outcomes({ price_count: feed === 'b' ? '99999999999' : 1 })
          }),
        ),
    }
    const worker: EnrichmentWorker = { name: 'test_worker', description: '', tables: [table] }
    await world.run(worker)
    expect(
      await world.rows('select feed, status, price_count, last_error_code from app.price_feeds order by feed'),
    ).to.deep.equal([
      { feed: 'a', status: 'answered', price_count: 1, last_error_code: null },
      { feed: 'b', status: 'failed', price_count: null, last_error_code: 'database-error' },
      { feed: 'c', status: 'answered', price_count: 1, last_error_code: null },
      { feed: 'd', status: 'failed', price_count: null, last_error_code: 'query-failed' },
      { feed: 'e', status: 'answered', price_count: 1, last_error_code: null },
    ])
    expect(await countEnrichment(database.pool, [worker])).to.deep.equal([
      { worker: 'test_worker', table: 'app.price_feeds', due: 0, failed: 2 },
    ])
    expect(await world.metrics.registry.getSingleMetricAsString('flowfarm_enrichment_keys_total')).to.include(
      'worker="test_worker",outcome="failed"} 2',
    )
  })

  it('finds due and new keys by index', async () => {
    await database.pool.query(`
      insert into app.ft_tokens select 'A.179b6b1cb6755e31.T' || i, i from generate_series(1, 30000) i;
      insert into app.nft_collections select 'A.179b6b1cb6755e31.C' || i, i from generate_series(1, 30000) i;
      insert into app.nft_ownership select 'A.179b6b1cb6755e31.C' || i % 100, i, i, i, 0, 0, 0, false, '0x' || lpad(to_hex(i % 5000), 16, '0') from generate_series(1, 60000) i;
      insert into app.nft_holdings select owner, token, count(*) from app.nft_ownership group by 1, 2;
      insert into app.contract_versions select i, 0, 0, 'added', '0x179b6b1cb6755e31', 'C', sha256(i::text::bytea) from generate_series(1, 30000) i;
      insert into app.nft_holder_checks (holder, token, next_ask_at) select address, token, 'infinity' from app.nft_holdings;
      insert into app.nft_items (token, nft_id, next_ask_at) select token, nft_id, 'infinity' from app.nft_ownership;
      insert into app.ft_token_metadata (token, next_ask_at) select token, 'infinity' from app.ft_tokens;
      insert into app.nft_collection_metadata (token, next_ask_at) select token, 'infinity' from app.nft_collections;
      insert into app.contract_code_questions (code_hash, next_ask_at) select code_hash, 'infinity' from app.contract_versions;
      insert into app.staking_node_info (node_id, next_ask_at) select i::text, 'infinity' from generate_series(1, 30000) i;
      insert into app.evm_tokens select lpad(to_hex(i), 40, '0'), 20, i, 1, 1, 0 from generate_series(1, 30000) i;
      insert into app.evm_token_items select lpad(to_hex(i % 1000), 40, '0'), 721, i, lpad(to_hex(i), 40, '0'), 1 from generate_series(1, 60000) i;
      insert into app.evm_token_metadata (token, next_ask_at) select token, 'infinity' from app.evm_tokens;
      insert into app.evm_item_metadata (token, standard, token_id, next_ask_at) select token, standard, token_id, 'infinity' from app.evm_token_items;
      insert into app.nft_ownership_corrections select token, nft_id, '0x00000000000000ff', null, 1 from app.nft_ownership where nft_id % 3 = 0`)
    const tables = allEnrichmentWorkers.flatMap((worker) => worker.tables)
    for (const { table } of tables)
      await database.pool.query(
        `update ${table} set next_ask_at = now() where ctid = any (array(select ctid from ${table} limit 20))`,
      )
    await database.pool.query('vacuum analyze')
    for (const one of tables) {
      const { table, key, scan } = one
      const sql = tableSql(one)
      await expectFewPages(`${table}: claim`, sql.claim, [20, 60_000])
      const { rows: keys } = await database.pool.query<Record<string, unknown>>(sql.claim, [20, 60_000])
      const texts = keys.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
          ]),
        ),
      )
      const claimed = [JSON.stringify(texts), keys[0]?.['until']]
      const arrays = key.map(({ column }) => keys.map((row) => row[column]))
      const position = scan?.position?.map(() => '500') ?? key.map(({ column }) => textOf(keys[0]?.[column]))
      await expectFewPages(`${table}: renew`, sql.renew, [...claimed, 60_000])
      await expectFewPages(`${table}: release`, sql.release, claimed)
      await expectFewPages(`${table}: details`, sql.details, arrays)
      if (sql.newest !== undefined) await expectFewPages(`${table}: newest`, sql.newest, [100])
      if (sql.scan !== undefined) await expectFewPages(`${table}: scan`, sql.scan, [100, ...position])
    }
  })

  async function expectFewPages(name: string, text: string, values: unknown[]): Promise<void> {
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      )
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {}
      const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
      expect(pages, `${name}\n${JSON.stringify(plan, null, 1)}`).to.be.lessThan(1500)
      expect(JSON.stringify(plan), name).to.not.match(
        /"Seq Scan","Parallel Aware":\w+,"Async Capable":\w+,"Relation Name":"(?!.*(worker_leases|indexing_checkpoints))/,
      )
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
})
