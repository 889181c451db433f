import { expect } from 'chai'
import type pg from 'pg'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { insertLeases, readBacklogs, reenqueueLeases, requeueDueLeases } from './coordinator/plan-leases.ts'
import { readFarmState } from './coordinator/rounds.ts'
import { readCoverage, foldLeases, reopenHeights } from './leases/coverage.ts'
import { completeClaims, setCoverage } from './farm-tables.test-support.ts'
import {
  claimLeases,
  failLeases,
  heartbeatLeases,
  leaseHead,
  reapLeases,
  releaseLeases,
  returnLeases,
  shortenLeases,
} from './leases/leases.ts'
import {
  countLeases,
  findLeaseKeys,
  listLeases,
  requeueLeases,
  skipLeases,
  splitLeases,
} from './leases/operator-leases.ts'
import { claimWaiting } from './own/lease-ranges.ts'
import { finishRequests, readRequestRows, workersDone } from './leases/requests.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

describe('farm query plans, with 100,000 completed and 10,000 active leases', () => {
  let database: TestDatabase
  let client: pg.PoolClient
  let statements: { text: string; values: unknown[] }[] = []
  let recording: pg.PoolClient

  before(async () => {
    database = await createTestDatabase()
    await setCoverage(database.pool, { main_ingester: [{ from: 0, to: 3_000_000 }], a: [], b: [] })
    await database.pool.query(`
      insert into app.worker_leases (worker_type, from_height, to_height, generation, status, leased_by, lease_expires_at)
      select w, h * 10, h * 10 + 10, h, case when h < 50000 then 'done' else 'active' end,
        case when h >= 50000 then 'p' || h % 4 end, case when h >= 50000 then now() + h * interval '1 ms' end
      from unnest('{a,b}'::text[]) w, generate_series(0, 54999) h`)
    await database.pool.query(`
      insert into app.worker_leases (worker_type, from_height, to_height, status, not_before)
      select w, 600000 + h * 10, 600010 + h * 10, (array['queued', 'failed', 'flagged', 'skipped'])[1 + h % 4], now() + h * interval '1 s'
      from unnest('{a,b}'::text[]) w, generate_series(0, 99) h`)
    await database.pool.query('vacuum analyze app.worker_leases, app.indexing_checkpoints')
    client = await database.pool.connect()
    recording = new Proxy(client, {
      get: (target, name) => {
        if (name === 'release') return () => undefined
        if (name !== 'query') return Reflect.get(target, name) as unknown
        return (query: string | { text: string; values?: unknown[] }, values: unknown[] = []) => {
          statements.push(
            typeof query === 'string' ? { text: query, values } : { text: query.text, values: query.values ?? [] },
          )
          return Promise.resolve({ rows: [], rowCount: 0 })
        }
      },
    })
  })

  after(async () => {
    client.release()
    await database.drop()
  })

  /** How the statements of a call read leases, planned with and without parameter values. */
  async function scans(call: () => Promise<unknown>): Promise<string[]> {
    statements = []
    await call()
    const found: string[] = []
    for (const { text, values } of statements.flatMap(partsOf)) {
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await client.query(`set plan_cache_mode = ${mode}`)
        const generic = mode === 'force_generic_plan'
        const {
          rows: [row],
        } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (format json${generic ? ', generic_plan' : ''}) ${text}`,
          generic ? undefined : values,
        )
        const nodes = row === undefined ? [] : flatten(row['QUERY PLAN'][0].Plan)
        found.push(
          ...nodes.filter((node) => node['Relation Name'] === 'worker_leases').map((node) => node['Node Type']),
        )
      }
    }
    return found
  }

  /** EXPLAIN takes one statement. */
  function partsOf({ text, values }: { text: string; values: unknown[] }): { text: string; values: unknown[] }[] {
    const parts = text.split(';').filter((part) => !['', 'begin', 'commit'].includes(part.trim()))
    return parts.map((part) => ({ text: part, values }))
  }

  function flatten(node: PlanNode): PlanNode[] {
    return [node, ...(node.Plans ?? []).flatMap(flatten)]
  }

  const keys = Array.from({ length: 64 }, (_, i) => ({
    worker: 'a',
    from: 500_000 + i * 10,
    generation: 50_000 + i,
    to: 0,
    attempt: 1,
  }))
  const by = { leasedBy: 'p1', leaseMs: 6000 }

  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['claim', () => claimLeases(recording, keys, by)],
    [
      'claim for own workers',
      () => {
        const slots = [true, false].map((isLive) => ({ worker: 'a', isLive }))
        return claimWaiting(recording, slots, 2_999_900, { ...by, liveBlocks: 100, isHistoryEnabled: true })
      },
    ],
    ['heartbeat', () => heartbeatLeases(recording, keys, 6000)],
    ['complete', () => completeClaims(recording, keys)],
    ['release', () => releaseLeases(recording, keys)],
    ['return', () => returnLeases(recording, keys)],
    ['shorten', () => shortenLeases(recording, keys, 500_001)],
    [
      'lease the head',
      () => {
        const pool = { connect: () => Promise.resolve(recording) } as unknown as pg.Pool
        return leaseHead(pool, ['a', 'b'], { from: 2_999_999, to: 3_000_000 }, by)
      },
    ],
    [
      'fail',
      () =>
        failLeases(
          recording,
          keys.map((key) => ({ ...key, error: new Error('x') })),
        ),
    ],
    ['reap', () => reapLeases(recording)],
    ['requeue what is due', () => requeueDueLeases(recording, ['a', 'b'])],
    ['hand over', () => reenqueueLeases(recording, ['a', 'b'], 5000)],
    ['requeue', () => requeueLeases(recording, keys)],
    ['split', () => splitLeases(recording, keys, 2)],
    ['skip', () => skipLeases(recording, keys, 'x')],
    [
      'list',
      () =>
        listLeases(recording, { workers: ['a'], statuses: ['flagged'], after: { worker: 'a', from: 5 }, limit: 50 }),
    ],
    ['count', () => countLeases(recording, { workers: ['a'], statuses: ['flagged'] })],
    ['find those in trouble', () => findLeaseKeys(recording, 'a', ['failed', 'flagged'])],
    ['read the state', () => readFarmState(recording, ['a', 'b'], 100)],
    ['read backlogs', () => readBacklogs(recording, ['a', 'b'], 2_000_000)],
    ['read backlogs down to a request', () => readBacklogs(recording, ['a', 'b'], 100, 510_000)],
    ['insert', () => insertLeases(recording, [{ from: 2_999_000, to: 3_000_000, workers: ['a', 'b'], isLive: true }])],
    ['progress of a request', () => readRequestRows(recording, ['a', 'b'], { from: 510_000, to: 520_000 })],
    ['workers that have done a range', () => workersDone(recording, ['a', 'b'], { from: 510_000, to: 520_000 })],
    ['finish requests', () => finishRequests(recording, ['a'])],
    ['reopen', () => reopenHeights(recording, ['a'], 549_000, 549_500)],
    ['roll back', () => reopenHeights(recording, ['a', 'b'], 700_000, undefined)],
    ['fold', () => foldLeases(recording, ['a'])],
    ['read coverage', () => readCoverage(recording, ['a'])],
  ]

  for (const [name, call] of calls) {
    it(`${name} avoids full table scans`, async () => {
      const found = await scans(call)
      expect(found, 'the statement was not seen').to.not.deep.equal([])
      expect(found.filter((type) => type === 'Seq Scan')).to.deep.equal([])
    })
  }
})
