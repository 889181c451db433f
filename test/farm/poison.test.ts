import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { difference } from '../../src/platform/ranges.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import { clearDrills, setDrill } from '../../src/farm/drills.ts'
import { announceFarmWork } from '../../src/platform/db/listen.ts'
import { listLeases, requeueLeases } from '../../src/farm/leases/operator-leases.ts'
import type { ListedLease } from '../../src/farm/leases/operator-leases.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { waitUntil } from '../support/lease-waits.ts'
import { StoredChain } from '../support/stored-chain.ts'

const names = workers.map(({ name }) => name)
/** token_worker and its followers. */
const waiting = names.filter(
  (name) => name === 'token_worker' || workers.find((one) => one.name === name)?.follows.includes('token_worker'),
)
const retries = { WORKER_RETRY_BASE_MS: '8', WORKER_RETRY_CAP_MS: '40' }

describe('a block that always fails in a worker', function (this: Mocha.Suite) {
  let small: StoredChain
  let large: StoredChain
  let chain: StoredChain
  let poison: number
  let database: TestDatabase
  let running: RunningFarm | undefined

  before(async () => {
    small = await StoredChain.store(149)
    large = await StoredChain.store(1099)
  })
  /** A database with this chain, in which token_worker fails at one height. */
  const begin = async (stored: StoredChain, height: number): Promise<void> => {
    chain = stored
    poison = height
    database = await chain.newDatabase()
    // Every pause after a failure, with its duration.
    await database.pool.query(`
      create table app.pauses (attempt integer, from_height bigint, to_height bigint, ms float8);
      create function app.note_pause() returns trigger language plpgsql as $$ begin
        insert into app.pauses values (new.attempt, new.from_height, new.to_height, extract(epoch from new.not_before - now()) * 1000);
        return null;
      end $$;
      create trigger note_pause after update on app.worker_leases for each row
        when (new.status = 'failed' and old.status = 'active') execute function app.note_pause()`)
    await setDrill(database.pool, { worker: 'token_worker', from: poison, to: poison + 1, reason: 'a test' })
  }
  afterEach(async () => {
    await running?.stop()
    await database?.drop()
  })
  after(async () => {
    await small.drop()
    await large.drop()
  })

  const flagged = (): Promise<ListedLease[]> =>
    listLeases(database.pool, { workers: names, statuses: ['flagged'], limit: 100 })
  const failedRuns = async (): Promise<number | undefined> => {
    const found = await running?.metrics.farmRanges.get()
    return found?.values.find(({ labels }) => labels['worker'] === 'token_worker' && labels['outcome'] === 'failed')
      ?.value
  }
  const expectTheRestDone = async (): Promise<void> => {
    const missing = (name: string): object => (waiting.includes(name) ? [{ from: poison, to: poison + 1 }] : [])
    await waitUntil(database, async () => {
      const coverage = await readCoverage(database.pool, names)
      return names.every(
        (name) => JSON.stringify(difference(chain.heights, coverage.get(name) ?? [])) === JSON.stringify(missing(name)),
      )
    })
  }
  const mend = async (): Promise<void> => {
    await clearDrills(database.pool)
    expect(await requeueLeases(database.pool, await flagged())).to.equal(1)
    await announceFarmWork(database.pool)
    await chain.untilDerived(database)
    expect(await chain.differences(database)).to.deep.equal([])
  }

  it('is tried exactly 21 times, then flagged, while other blocks continue; completes when requeued', async () => {
    await begin(small, 87)
    running = await runFarm(database, { ...retries, LIVE_DERIVERS_CHUNK: '1', TOKEN_WORKER_RANGE: '1' })
    await waitUntil(database, async () => (await flagged()).length > 0)
    const [lease, ...others] = await flagged()
    expect(others).to.deep.equal([])
    expect(lease).to.include({ worker: 'token_worker', from: poison, to: poison + 1, status: 'flagged', attempt: 21 })
    expect(lease?.error).to.be.a('string').that.is.not.empty
    expect(lease?.stack).to.be.a('string')
    expect(await failedRuns()).to.equal(21)
    const { rows } = await database.pool.query<{ attempt: number; ms: number }>(
      'select attempt, ms from app.pauses order by attempt',
    )
    expect(rows.map(({ attempt }) => attempt)).to.deep.equal(Array.from({ length: 20 }, (_, i) => i + 1))
    for (const { attempt, ms } of rows) {
      const bound = Math.min(40, 8 * 2 ** (attempt - 1))
      expect(ms, `pause after run ${attempt}`).to.be.within(bound / 2 - 0.001, bound + 0.001)
    }
    await expectTheRestDone()
    await mend()
  })

  it('in a range of 1,000 blocks is the only flagged block; the other 999 complete', async () => {
    await begin(large, 437)
    running = await runFarm(database, {
      ...retries,
      HISTORY_DERIVERS_CHUNK: '1000',
      LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: '100',
    })
    await waitUntil(database, async () => (await flagged()).length > 0)
    await expectTheRestDone()
    expect((await flagged()).map(({ worker, from, to, attempt }) => ({ worker, from, to, attempt }))).to.deep.equal([
      { worker: 'token_worker', from: poison, to: poison + 1, attempt: 21 },
    ])
    const { rows } = await database.pool.query<{ longest: number }>(
      'select max(to_height - from_height)::int as longest from app.pauses',
    )
    expect(rows[0]?.longest).to.be.at.least(1000)
    await mend()
  })
})
