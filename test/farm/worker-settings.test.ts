import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { derivingWorkers } from '../../jobs/worker-names.ts'
import { split } from '../../src/platform/ranges.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import { setDrill } from '../../src/farm/drills.ts'
import { addLeases } from '../../src/farm/farm-tables.test-support.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived, untilTrue } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

const names = workers.map(({ name }) => name)
const all: HeightRange = { from: 0, to: 281 }
const liveFrom = all.to - 100

interface Allocated extends HeightRange {
  readonly worker: string
  readonly at: number
}

describe('worker settings', () => {
  let node: ReplayNode
  let database: TestDatabase
  const processes: FlowfarmProcess[] = []
  const farms: RunningFarm[] = []

  before(async () => {
    node = await startRecordedNode('base')
    database = await createTestDatabase()
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, all.from, all.to - 1, ingest)
    await ingest.stop()
    // Triggers record every allocation and the number of active leases of each worker.
    await database.pool.query(`
      create table public.cuts (worker text, "from" int, "to" int, at float8);
      create table public.claims (worker text, history int);
      create function public.note_lease() returns trigger language plpgsql as $$ begin
        insert into public.cuts values (new.worker_type, new.from_height, new.to_height, extract(epoch from clock_timestamp()) * 1000);
        return null;
      end $$;
      create function public.note_claims() returns trigger language plpgsql as $$ begin
        insert into public.claims select worker_type, count(*) from app.worker_leases
          where status = 'active' and from_height < ${liveFrom} group by 1;
        return null;
      end $$;
      create trigger note_lease after insert on app.worker_leases for each row execute function public.note_lease();
      create trigger note_claims after update of status on app.worker_leases for each statement execute function public.note_claims()`)
  })
  beforeEach(() =>
    database.pool.query(`
    truncate public.cuts, public.claims, app.worker_leases, app.fault_drills;
    delete from app.indexing_checkpoints where service_name not like '%ingester'; drop schema if exists bullmq cascade`),
  )
  afterEach(async () => {
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
    for (const farm of farms.splice(0)) await farm.stop()
  })
  after(async () => {
    await node.stop()
    await database.drop()
  })

  const cuts = async (worker?: string): Promise<Allocated[]> =>
    (
      await database.pool.query<Allocated>(
        'select * from public.cuts where $1::text is null or worker = $1 order by at, "from" desc',
        [worker],
      )
    ).rows
  const lengths = (found: readonly HeightRange[]): number[] => found.map(({ from, to }) => to - from)
  const run = async (variables: Record<string, string>): Promise<RunningFarm> => {
    const farm = await runFarm(database, variables)
    farms.push(farm)
    return farm
  }
  /** Runs the farm until `workersThere` have completed everything. */
  const runUntilDone = async (
    variables: Record<string, string>,
    workersThere: readonly string[] = names,
  ): Promise<void> => {
    const farm = await run(variables)
    await untilDerived(database, workersThere, [all], farm)
    await farm.stop()
  }
  const start = (services: readonly string[], variables: Record<string, string>): FlowfarmProcess => {
    const farm = new FlowfarmProcess(services, { DB_URL: database.url, HOST: '127.0.0.1', ...variables })
    processes.push(farm)
    return farm
  }

  it('list the existing workers', () => {
    expect(derivingWorkers.map((name) => name.toLowerCase())).to.have.members(names)
  })

  for (const name of names) {
    it(`ENABLE_${name.toUpperCase()}: disables the worker and its followers; all others complete`, async () => {
      const off = [name, ...workers.filter((worker) => worker.follows.includes(name)).map((worker) => worker.name)]
      await runUntilDone(
        { [`ENABLE_${name.toUpperCase()}`]: 'false' },
        names.filter((one) => !off.includes(one)),
      )
      expect(new Set((await cuts()).map(({ worker }) => worker))).to.deep.equal(
        new Set(names.filter((one) => !off.includes(one))),
      )
      const coverage = await readCoverage(database.pool, off)
      expect([...coverage.values()].flat()).to.deep.equal([])
    })
  }

  it('RAW_ONLY: disables all workers and allocation', async () => {
    const farm = start(['farm'], { RAW_ONLY: 'true' })
    await farm.logged(/No worker is enabled/)
    expect(await farm.end('SIGTERM')).to.equal(0)
    expect(await cuts()).to.deep.equal([])
  })

  it('LIVE_DERIVERS_CHUNK, HISTORY_DERIVERS_CHUNK, LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: set the range lengths near the head and below', async () => {
    await runUntilDone({
      LIVE_DERIVERS_CHUNK: '7',
      HISTORY_DERIVERS_CHUNK: '50',
      LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: '30',
    })
    for (const name of ['token_worker', 'accounts_worker']) {
      const found = await cuts(name)
      const live = found.filter(({ from }) => from >= all.to - 30)
      const history = found.filter(({ from }) => from < all.to - 30)
      expect(Math.max(...lengths(live)), name).to.equal(7)
      expect(Math.max(...lengths(history)), name).to.equal(50)
      expect(Math.min(...live.map(({ from }) => from)), name).to.equal(all.to - 30)
      expect(Math.max(...history.map(({ to }) => to)), name).to.equal(all.to - 30)
    }
  })

  it('without chunk settings: use ranges of 10 for 100 blocks near the head, and of 1,000 below', async () => {
    await runUntilDone({})
    expect(lengths(await cuts('token_worker')).toSorted((a, b) => b - a)).to.deep.equal([
      181,
      ...Array.from({ length: 10 }, () => 10),
    ])
  })

  for (const variable of ['ACCOUNTS_WORKER_RANGE', 'ACCOUNTS_RANGE']) {
    it(`${variable}: limits the ranges of that worker only`, async () => {
      await runUntilDone({ [variable]: '6', ENABLE_FT_HOLDINGS_WORKER: 'false' }, ['token_worker', 'accounts_worker'])
      expect(Math.max(...lengths(await cuts('accounts_worker')))).to.equal(6)
      expect(Math.max(...lengths(await cuts('token_worker')))).to.equal(181)
    })
  }

  for (const [variable, value, max] of [
    ['TOKEN_WORKER_CONCURRENCY', '3', 3],
    ['TOKEN_CONCURRENCY', '2', 2],
    ['LOG_LEVEL', 'silent', 1],
  ] as const) {
    it(`${variable}=${value}: allows ${max} concurrent ranges of history in each process, beside one at the head`, async () => {
      // Previously failed ranges are in jobs of their own. With commits blocked, a worker claims
      // its maximum at once.
      await addLeases(
        database.pool,
        split({ from: 0, to: liveFrom }, 30).map((range) => ({ worker: 'token_worker', ...range, attempt: 1 })),
      )
      const blocker = await database.pool.connect()
      await blocker.query('begin; lock table app.ft_transfers in share mode')
      const farm = await run({ [variable]: value })
      const active = async (): Promise<number> =>
        (
          await database.pool.query(
            `select from app.worker_leases where worker_type = 'token_worker' and status = 'active'
             group by case when from_height < ${liveFrom} then from_height end`,
          )
        ).rowCount ?? 0
      while ((await active()) < max + 1) await database.pool.query('select 1')
      await blocker.query('commit')
      blocker.release()
      await untilDerived(database, ['token_worker'], [all], farm)
      await farm.stop()
      const { rows } = await database.pool.query<{ history: number }>(
        "select max(history) as history from public.claims where worker = 'token_worker'",
      )
      expect(rows[0]?.history).to.equal(max)
    })
  }

  it('ENABLE_HISTORY_DERIVERS: if disabled, derives only blocks near the head', async () => {
    const head = [{ from: all.to - 100, to: all.to }]
    const farm = await run({ ENABLE_HISTORY_DERIVERS: 'false' })
    await untilDerived(database, names, head, farm)
    await farm.stop()
    for (const [name, covered] of await readCoverage(database.pool, names)) expect(covered, name).to.deep.equal(head)
  })

  it('ENABLE_LIVE_DERIVERS: if disabled, allocates the head like history', async () => {
    await runUntilDone({ ENABLE_LIVE_DERIVERS: 'false', HISTORY_DERIVERS_CHUNK: '100' })
    expect(lengths(await cuts('token_worker'))).to.deep.equal([100, 100, 81])
  })

  it('both disabled: derive nothing', async () => {
    const rounds = Promise.withResolvers<void>()
    const farm = await run({ ENABLE_LIVE_DERIVERS: 'false', ENABLE_HISTORY_DERIVERS: 'false' })
    farm.metrics.farmRoundSeconds.observe = () => rounds.resolve()
    await rounds.promise
    await farm.stop()
    expect(await cuts()).to.deep.equal([])
  })

  it('HISTORY_DERIVERS_SLEEP_MS: sets the pause of a worker between two ranges of history', async () => {
    await runUntilDone(
      { ENABLE_LIVE_DERIVERS: 'false', HISTORY_DERIVERS_CHUNK: '80', HISTORY_DERIVERS_SLEEP_MS: '400' },
      ['token_worker'],
    )
    const found = await cuts('token_worker')
    expect(found).to.have.length(4)
    for (const [i, cut] of found.entries())
      if (i > 0) expect(cut.at - (found[i - 1] as Allocated).at).to.be.at.least(400)
  })

  it('HISTORY_DERIVERS_BATCH_MS: sets the minimum interval between allocations of history to a worker', async () => {
    await runUntilDone(
      { ENABLE_LIVE_DERIVERS: 'false', HISTORY_DERIVERS_CHUNK: '2', HISTORY_DERIVERS_BATCH_MS: '400' },
      ['token_worker'],
    )
    const times = (await cuts('token_worker')).map(({ at }) => at)
    const pauses = times
      .slice(1)
      .map((at, i) => at - (times[i] as number))
      .filter((pause) => pause > 100)
    expect(pauses.length).to.be.greaterThan(0)
    expect(Math.min(...pauses)).to.be.at.least(395)
  })

  it('WORKER_RETRY_BASE_MS and WORKER_RETRY_CAP_MS: set the pause of a failed range', async () => {
    await setDrill(database.pool, { worker: 'token_worker', from: 280, to: 281 })
    const farm = await run({ WORKER_RETRY_BASE_MS: '3600000', WORKER_RETRY_CAP_MS: '7200000', TOKEN_RANGE: '1' })
    const waits = async (): Promise<number[]> =>
      (
        await database.pool.query<{ ms: number }>(
          "select extract(epoch from not_before - updated_at)::float8 * 1000 as ms from app.worker_leases where status = 'failed'",
        )
      ).rows.map(({ ms }) => ms)
    await untilTrue(database, async () => (await waits()).length === 1, farm)
    expect((await waits())[0]).to.be.within(1_799_000, 3_601_000)
    await farm.stop()
    await database.pool.query('truncate app.worker_leases; drop schema bullmq cascade')
    const capped = await run({ WORKER_RETRY_BASE_MS: '3600000', WORKER_RETRY_CAP_MS: '60000', TOKEN_RANGE: '1' })
    await untilTrue(database, async () => (await waits()).length === 1, capped)
    expect((await waits())[0]).to.be.within(29_000, 61_000)
    // A lease that expires a second time gets the same pause.
    await database.pool.query('truncate app.fault_drills')
    await addLeases(database.pool, [{ worker: 'accounts_worker', from: 1000, to: 1001, status: 'active', attempt: 2 }])
    await database.pool.query(
      "update app.worker_leases set expiries = 1, lease_expires_at = now() where from_height = 1000; select pg_notify('flowfarm_farm', '')",
    )
    await untilTrue(database, async () => (await waits()).length === 2, capped)
    for (const ms of await waits()) expect(ms).to.be.within(29_000, 61_000)
    await capped.stop()
  })
})
