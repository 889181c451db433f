import { expect } from 'chai'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import { workers } from '../../jobs/index.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { untilDerived, untilTrue } from '../support/farm.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { waitUntil } from '../support/lease-waits.ts'
import { startRecordedNode } from '../support/replay.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const head = 400
const names = workers.map(({ name }) => name)

describe('the farm as a service', function (this: Mocha.Suite) {
  let node: ReplayNode
  let database: TestDatabase
  const processes: FlowfarmProcess[] = []

  before(async () => {
    node = await startRecordedNode('base', { loop: true, head, cachedBlocks: head + 1 })
  })
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
    await database.drop()
  })
  after(() => node.stop())

  const start = (services: readonly string[], variables: Record<string, string> = {}): FlowfarmProcess => {
    const farm = new FlowfarmProcess(services, {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      PORT: '0',
      ...variables,
    })
    processes.push(farm)
    return farm
  }
  const trouble = (farm: FlowfarmProcess): unknown[] =>
    farm.log.filter(({ level }) => level === 'error' || level === 'fatal')

  /**
   * Resolves at this number of coordinator sessions: one each for the lock, plus one for LISTEN in
   * the current coordinator.
   */
  const untilConnected = (sessions: number): Promise<void> =>
    waitUntil(database, async () => {
      const { rows } = await database.pool.query<{ sessions: string }>(
        "select count(*) as sessions from pg_stat_activity where datname = current_database() and application_name = 'flowfarm coordinator'",
      )
      return Number(rows[0]?.sessions) >= sessions
    })

  it('waits for the chain, then runs beside ingest in any number of processes', async () => {
    const farms = [start(['farm']), start(['farm'])]
    await untilConnected(3)
    expect(farms.flatMap(({ log }) => log.filter(({ msg }) => /Farm started/.test(msg)))).to.deep.equal([])
    const ingest = start(['ingest'], { START_BLOCK: '300', ENABLE_HISTORY_INGESTER: 'false' })
    await Promise.all(farms.map((farm) => farm.logged(/Farm started/)))
    await untilDerived(database, names, [{ from: 300, to: head + 1 }])
    for (const one of [...farms, ingest]) expect(await one.end('SIGTERM'), one.output()).to.equal(0)
    expect([...farms, ingest].flatMap(trouble)).to.deep.equal([])
  })

  it('exits with 0 within 10 s under load, releases its leases, and resumes', async () => {
    const chain = start(['ingest', 'farm'])
    await untilTrue(database, async () => {
      const { rows } = await database.pool.query<{ busy: boolean }>(
        "select count(*) filter (where status = 'active') > 0 and count(*) filter (where status = 'done') > 0 as busy from app.worker_leases",
      )
      return rows[0]?.busy === true
    })
    const askedAt = new Stopwatch()
    expect(await chain.end('SIGTERM'), chain.output()).to.equal(0)
    await askedAt.expectBelow(10_000)
    expect(trouble(chain)).to.deep.equal([])
    const { rows } = await database.pool.query(
      "select worker_type, from_height from app.worker_leases where status = 'active'",
    )
    expect(rows).to.deep.equal([])
    const again = start(['ingest', 'farm'])
    await untilDerived(database, names, [{ from: 0, to: head + 1 }])
    expect(await again.end('SIGTERM')).to.equal(0)
    const { rows: failed } = await database.pool.query(
      "select * from app.worker_leases where status not in ('done', 'queued', 'active')",
    )
    expect(failed).to.deep.equal([])
  })

  it('delays history for a slow worker for a limited time', async () => {
    const holder = await database.pool.connect()
    try {
      // Commits of accounts_worker wait for this, and those of the workers that share its ranges.
      await holder.query("select pg_advisory_lock(7364832, hashtext('accounts_worker'))")
      const chain = start(['ingest', 'farm'], {
        START_BLOCK: '390',
        DERIVERS_CACHE_MIB: '1',
        HISTORY_BATCH_SIZE: '10',
        HISTORY_DERIVERS_BATCH_MS: '0',
      })
      await chain.logged(/no longer waits for the workers of this process/)
      await holder.query('select pg_advisory_unlock_all()')
      await untilDerived(database, names, [{ from: 0, to: head + 1 }])
      expect(await chain.end('SIGTERM')).to.equal(0)
    } finally {
      holder.release(true)
    }
  })

  it('exits with 0 within 10 s while it waits for the chain', async () => {
    const farm = start(['farm'])
    await untilConnected(2)
    const askedAt = new Stopwatch()
    expect(await farm.end('SIGTERM'), farm.output()).to.equal(0)
    await askedAt.expectBelow(10_000)
    expect(trouble(farm)).to.deep.equal([])
  })

  it('rejects a Redis that can evict jobs and suggests a fix', async function (this: Mocha.Context) {
    const redis = await startRedis({ policy: 'allkeys-lru' })
    if (redis === undefined) this.skip()
    try {
      const farm = start(['farm'], { REDIS_URL: redis.url })
      expect(await farm.ended()).to.equal(1)
      expect(farm.log.at(-1)).to.include({ level: 'fatal', code: 'redis-evicts' })
      expect(farm.log.at(-1)?.msg).to.include('allkeys-lru').and.include('config set maxmemory-policy noeviction')
    } finally {
      await redis.stop()
    }
  })

  it('waits for Redis at startup and exits with 75 without it', async function (this: Mocha.Context) {
    const redis = await startRedis()
    if (redis === undefined) this.skip()
    try {
      await redis.kill()
      const farms = [
        start(['ingest', 'farm'], { REDIS_URL: redis.url }),
        start(['farm'], { REDIS_URL: 'redis://127.0.0.1:1' }),
      ]
      const [first, second] = farms as [FlowfarmProcess, FlowfarmProcess]
      await first.logged(/Could not reach the queue store/)
      await redis.restart()
      await first.logged(/Farm started/)
      await untilTrue(database, async () => {
        const { rows } = await database.pool.query<{ covered: boolean }>(
          "select covered <> '{}' as covered from app.coverage where service_name = 'ft_holdings_worker'",
        )
        return rows[0]?.covered === true
      })
      expect(await second.ended(), second.output()).to.equal(75)
      expect(second.log.at(-1)).to.include({ code: 'queue-unavailable' })
      expect(await first.end('SIGTERM'), first.output()).to.equal(0)
    } finally {
      await redis.stop()
    }
  })

  it('reports metrics in the process that coordinates', async () => {
    const chain = start(['ingest', 'farm'], {
      METRICS_PORT: '0',
      START_BLOCK: '350',
      ENABLE_HISTORY_INGESTER: 'false',
    })
    const { port } = await chain.logged(/Serving metrics/)
    await untilDerived(database, names, [{ from: 350, to: head + 1 }])
    const figures = ['covered_heights', 'backlog_heights', 'lag_heights', 'oldest_unfinished_seconds'].flatMap(
      (figure) => names.map((name) => new RegExp(`flowfarm_farm_${figure}\\{worker="${name}"\\} \\d`)),
    )
    let text = ''
    // Each metric appears after the first round that reports it.
    await waitUntil(database, async () => {
      text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
      return figures.every((figure) => figure.test(text))
    })
    for (const name of names) {
      expect(text).to.include(`flowfarm_farm_leases{worker="${name}",status="flagged"} 0`)
    }
    const events = new Map(
      [...text.matchAll(/flowfarm_farm_lease_events_total\{event="([a-z-]+)"\} (\d+)/g)].map(([, event, count]) => [
        event,
        Number(count),
      ]),
    )
    expect([...events.keys()]).to.have.members(['allocated', 'expired', 'requeued', 're-enqueued', 'folded'])
    expect(events.get('allocated')).to.be.greaterThan(0)
    expect(text).to.match(/flowfarm_farm_round_seconds_count [1-9]/)
  })
})
