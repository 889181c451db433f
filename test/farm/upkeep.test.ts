import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { readOwnWorkers } from '../../src/own-tables/registry.ts'
import { setCoverage } from '../../src/farm/farm-tables.test-support.ts'
import { ensureRawPartitions } from '../../src/ingest/raw-tables.ts'
import { pruneDeliveries } from '../../src/webhooks/delivery-rows.ts'
import { upkeepJobs } from '../../src/farm/upkeep.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm } from '../support/farm.ts'

describe('database maintenance', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.drop())

  const run = (name: string): Promise<Readonly<Record<string, number>>> => {
    const job = upkeepJobs(database.pool, workers, {
      webhookLogDays: 7,
      ensureRawPartitions,
      pruneDeliveries,
      readOwnWorkers,
    }).find((one) => one.name === name)
    if (job === undefined) throw new Error(`there is no job ${name}`)
    return job.run()
  }
  const partitions = async (table: string): Promise<string[]> => {
    const { rows } = await database.pool.query<{ name: string }>(
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
      [table],
    )
    return rows.map(({ name }) => name)
  }

  it('creates partitions ahead of the head', async () => {
    expect(await run('make-partitions')).to.deep.equal({ head: -1 })
    await setCoverage(database.pool, { main_ingester: [{ from: 100, to: 150_001 }] })
    await run('make-partitions')
    expect(await partitions('raw.event_chunks')).to.deep.equal(['raw.event_chunks_p0', 'raw.event_chunks_p1000000'])
    for (const { name, partitionHeights: step } of workers.flatMap((worker) => worker.tables)) {
      if (step === undefined) continue
      const above = (Math.floor((150_000 + 200_000 - 1) / step) + 1) * step
      expect(await partitions(name), name)
        .to.include(`${name}_p0`)
        .and.include(`${name}_p${above}`)
    }
    await run('make-partitions')
  })

  it('deletes leases of removed workers only', async () => {
    await database.pool.query(`
      insert into app.worker_leases (worker_type, from_height, to_height, updated_at) values
        ('old_worker', 0, 1, now() - interval '2 days'), ('old_worker', 1, 2, now()), ('accounts_worker', 0, 1, now() - interval '2 days')`)
    expect(await run('prune-leases')).to.deep.equal({ pruned: 1 })
    const { rows } = await database.pool.query<{ lease: string }>(
      "select worker_type || ' ' || from_height as lease from app.worker_leases order by 1",
    )
    expect(rows.map(({ lease }) => lease)).to.deep.equal(['accounts_worker 0', 'old_worker 1'])
  })

  it('deletes old finished requests only', async () => {
    await database.pool.query(`
      insert into app.backfill_requests (workers, from_height, to_height, created_at, finished_at) values
        ('{a}', 0, 1, now() - interval '99 days', now() - interval '31 days'), ('{a}', 1, 2, now() - interval '99 days', now() - interval '29 days'),
        ('{a}', 2, 3, now() - interval '99 days', null)`)
    expect(await run('prune-requests')).to.deep.equal({ pruned: 1 })
    expect((await database.pool.query('select from app.backfill_requests')).rowCount).to.equal(2)
  })

  it('is scheduled by farm processes only', async () => {
    const scheduled = async (): Promise<string[]> => {
      const { rows } = await database.pool.query<{ is: boolean }>(
        "select to_regclass('pgboss.schedule') is not null as is",
      )
      if (rows[0]?.is !== true) return []
      return (await database.pool.query<{ name: string }>('select name from pgboss.schedule order by 1')).rows.map(
        ({ name }) => name,
      )
    }
    const raw = await runFarm(database, { RAW_ONLY: 'true' })
    await raw.stop()
    expect(await scheduled()).to.deep.equal([])
    const farm = await runFarm(database, {})
    while ((await scheduled()).length < 5) await database.pool.query('select 1')
    await farm.stop()
    expect(await scheduled()).to.deep.equal([
      'upkeep-make-partitions',
      'upkeep-prune-errors',
      'upkeep-prune-leases',
      'upkeep-prune-requests',
      'upkeep-prune-webhooks',
    ])
  })
})
