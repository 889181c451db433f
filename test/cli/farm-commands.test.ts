import { expect } from 'chai'
import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import { addLeases, leaseLines } from '../../src/farm/farm-tables.test-support.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { CommandLine } from '../support/command-line.ts'
import type { ProcessResult } from '../support/command-line.ts'
import { runFarm, untilDerived, untilTrue } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

const off = { ENABLE_HISTORY_DERIVERS: 'false', ENABLE_LIVE_DERIVERS: 'false' }

describe('farm commands', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let farm: RunningFarm | undefined

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    const node = await startRecordedNode('base', { head: 99 })
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 99, ingest)
    await ingest.stop()
    await node.stop()
  })
  afterEach(async () => {
    await farm?.stop()
    farm = undefined
    await pool.query(`truncate app.worker_leases, app.backfill_requests restart identity;
      delete from app.indexing_checkpoints where service_name not like '%ingester'`)
  })
  after(() => database.drop())

  const start = (name: string, args: readonly string[], more: Record<string, string> = {}): CommandLine =>
    new CommandLine(name, args, { DB_URL: database.url, ...more })
  const run = (name: string, ...args: string[]): Promise<ProcessResult> => start(name, args).ended
  const json = async <T>(name: string, ...args: string[]): Promise<{ code: ProcessResult['code']; value: T }> => {
    const { code, stdout } = await run(name, ...args, '--json')
    return { code, value: JSON.parse(stdout) as T }
  }
  /** All state that a command could change. */
  const everything = async (): Promise<string> => {
    const tables = ['app.worker_leases', 'app.backfill_requests', 'app.indexing_checkpoints', 'app.ft_transfers']
    const { rows } = await pool.query<{ content: string }>(
      tables
        .map(
          (table) =>
            `select '${table} ' || md5(coalesce(string_agg(t::text, '/' order by t::text), '')) as content from ${table} t`,
        )
        .join(' union all '),
    )
    return JSON.stringify(rows)
  }
  const covered = async (): Promise<Record<string, string>> => {
    const { rows } = await pool.query<{ service_name: string; covered: string }>(
      `select service_name, covered::text from app.coverage
       where service_name not like '%ingester' and covered <> '{}'`,
    )
    return Object.fromEntries(rows.map((row) => [row.service_name, row.covered]))
  }

  describe('status', () => {
    interface Status {
      readonly stages: readonly { readonly name: string }[]
      readonly isCoordinated: boolean
      readonly requests: readonly unknown[]
    }

    it('shows coverage, backlog, failures and requests', async () => {
      await addLeases(pool, [
        { worker: 'token_worker', from: 0, to: 40, status: 'done' },
        { worker: 'token_worker', from: 40, to: 42, status: 'flagged', attempt: 21 },
      ])
      await pool.query("insert into app.indexing_checkpoints (service_name) values ('token_worker')")
      await pool.query(
        "insert into app.backfill_requests (workers, from_height, to_height) values ('{token_worker}', 5, 10)",
      )
      const { code, stdout, stderr } = await run('status')
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout).to.match(/^token_worker +40 +60 +0 +0 +0 +1 \(2\) +0 .* 40 to 41, flagged for .* 21 attempts$/m)
      expect(stdout).to.include('stored heights 0 to 99').and.include('Request 1: heights 5 to 9 by token_worker')
      expect(stdout).to.include('1 range is flagged').and.include('No farm process is running')
      expect(stdout, 'colours without a terminal').to.not.include('\u001b')
      const { value } = await json<Status>('status')
      const token = value.stages.find(({ name }) => name === 'token_worker')
      expect(token).to.deep.include({ covered: 40, backlog: 60, flagged: { leases: 1, heights: 2 }, rate: null })
      expect(value.requests).to.have.length(1)
      expect(value).to.include({ isCoordinated: false })
    })

    it('prints one JSON line per update with --watch, and exits with 0', async () => {
      farm = await runFarm(database, off)
      const watching = start('status', ['--watch', '--json'])
      await watching.printed(/"rate":0/)
      watching.child.kill('SIGINT')
      const { code, stdout } = await watching.ended
      expect(code).to.equal(0)
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Status)
      expect(lines.length).to.be.at.least(3)
      expect(lines.at(-1)).to.include({ isCoordinated: true })
    })
  })

  describe('backfill', () => {
    it('derives the requested range and its dependencies while derivers are off, each once', async () => {
      farm = await runFarm(database, off)
      const { code, stdout } = await run('backfill', '--from', '10', '--to', '19', '--workers', 'ft_holdings_worker')
      expect(stdout).to.match(/^token_worker +10 +followed by a named worker$/m)
      expect(stdout).to.include('Done: heights 10 to 19')
      expect(code).to.equal(0)
      expect(await covered()).to.deep.equal({ token_worker: '{[10,20)}', ft_holdings_worker: '{[10,20)}' })
      const again = await run('backfill', '--from', '10', '--to', '19', '--workers', 'ft_holdings_worker')
      expect(again).to.include({ code: 0 })
      expect(again.stdout).to.include('No backlog')
      const all = await json<{ outcome: string; workers: { backlog: number }[] }>(
        'backfill',
        '--from',
        '15',
        '--to',
        '29',
      )
      expect(all.value).to.include({ outcome: 'done' })
      expect(await covered()).to.deep.equal({
        ...Object.fromEntries(workers.map(({ name }) => [name, '{[15,30)}'])),
        token_worker: '{[10,30)}',
        ft_holdings_worker: '{[10,30)}',
      })
    })

    it('changes nothing with --dry-run', async () => {
      const before = await everything()
      const { code, stdout } = await run('backfill', '--from', '1_0', '--to', '19', '--dry-run')
      expect(code).to.equal(1)
      expect(stdout).to.equal('')
      const dry = await run('backfill', '--from', '10', '--to', '19', '--dry-run')
      expect(dry.code).to.equal(0)
      expect(dry.stdout.match(/_worker +10$/gm)).to.have.length(workers.length)
      expect(await everything()).to.equal(before)
    })

    it('rejects heights that are not stored, and explains how to ingest them', async () => {
      const setStored = (multirange: string): Promise<unknown> =>
        pool.query("update app.indexing_checkpoints set covered = $1 where service_name = 'main_ingester'", [
          multirange,
        ])
      const before = await everything()
      const above = await run('backfill', '--from', '50', '--to', '100')
      expect(above).to.include({ code: 1, stdout: '' })
      expect(above.stderr).to.include('Not stored: heights 100. Stored: 0 to 99.').and.include('forward ingester')
      expect(above.stderr).to.not.include('ENABLE_HISTORY_INGESTER')
      await setStored('{[30,50),[60,100)}')
      const below = await run('rederive', '--from', '10', '--to', '99', '--all')
      await setStored('{[0,100)}')
      expect(below).to.include({ code: 1, stdout: '' })
      expect(below.stderr).to.include('Not stored: heights 10 to 29, 50 to 59.')
      expect(below.stderr).to.include('ENABLE_HISTORY_INGESTER').and.include('In between')
      expect(below.stderr).to.not.include('forward ingester')
      expect(await everything()).to.equal(before)
    })

    it('reports that no process serves the farm, and completes once one does', async () => {
      const waiting = await run('backfill', '--from', '10', '--to', '19')
      expect(waiting.code).to.equal(75)
      expect(waiting.stdout).to.include('No farm process is running. Request 1 stays open')
      farm = await runFarm(database, off)
      await untilTrue(database, async () => Object.keys(await covered()).length === workers.length, farm)
      expect(Object.values(await covered())).to.deep.equal(workers.map(() => '{[10,20)}'))
    })

    it('continues in the background with --detach and after Ctrl+C', async () => {
      const detached = await json<{ outcome: string }>('backfill', '--from', '10', '--to', '19', '--detach')
      expect(detached.code).to.equal(0)
      expect(detached.value).to.include({ outcome: 'detached' })
      // Block commits until the command stops waiting.
      const blocker = await pool.connect()
      await blocker.query('begin; lock table app.ft_transfers in share mode')
      farm = await runFarm(database, off)
      const waiting = start('backfill', ['--from', '10', '--to', '19'])
      await waiting.printed(/Deriving/)
      waiting.child.kill('SIGINT')
      const { code, stdout } = await waiting.ended
      await blocker.query('commit')
      blocker.release()
      expect(code).to.equal(75)
      expect(stdout).to.include('stays open, and the farm continues')
      await untilDerived(
        database,
        workers.map(({ name }) => name),
        [{ from: 10, to: 20 }],
        farm,
      )
    })

    it('reports flagged and skipped heights', async () => {
      await pool.query("insert into app.indexing_checkpoints (service_name) values ('token_worker')")
      await addLeases(pool, [
        { worker: 'token_worker', from: 12, to: 13, status: 'flagged', attempt: 21 },
        { worker: 'token_worker', from: 15, to: 17, status: 'skipped' },
      ])
      await pool.query(
        "update app.worker_leases set last_error = 'poison', last_error_code = 'TypeError' where status = 'flagged'",
      )
      farm = await runFarm(database, off)
      const stuck = await run('backfill', '--from', '10', '--to', '19')
      expect(stuck.code).to.equal(1)
      expect(stuck.stdout).to.match(/^token_worker +12 +flagged +21 .* TypeError +poison$/m)
      expect(stuck.stdout).to.include('npm run farm -- leases requeue')
      expect(stuck.stdout).to.include('counted as done: token_worker, heights 15 to 16')
      const skipped = await run('leases', 'skip', '--worker', 'token_worker', '--to', '12', '--reason', 'poison')
      expect(skipped.stdout).to.include('1 lease is skipped')
      const { value } = await json<{ outcome: string }>('backfill', '--from', '10', '--to', '19')
      expect(value.outcome).to.match(/^(done|nothing-backlog)$/)
    })

    it('reports the workers that are disabled in the running farm', async () => {
      farm = await runFarm(database, { ...off, ENABLE_TOKEN_WORKER: 'false' })
      const { code, stdout } = await run('backfill', '--from', '10', '--to', '19', '--workers', 'ft_holdings_worker')
      expect(code).to.equal(1)
      expect(stdout).to.include('Disabled in the farm: token_worker (ENABLE_TOKEN_WORKER)')
    })
  })

  describe('leases', () => {
    beforeEach(() =>
      addLeases(pool, [
        { worker: 'token_worker', from: 0, to: 10, status: 'flagged', attempt: 21 },
        { worker: 'token_worker', from: 10, to: 20, status: 'failed', attempt: 3 },
        { worker: 'token_worker', from: 20, to: 30, status: 'queued' },
        { worker: 'accounts_worker', from: 40, to: 50, status: 'flagged', attempt: 21 },
      ]),
    )

    it('are listed by worker, state, heights and code', async () => {
      await pool.query(
        "update app.worker_leases set last_error_code = 'oops', last_error = E'a\\nb' where worker_type = 'token_worker'",
      )
      const { code, stdout } = await run('leases', 'list')
      expect(code).to.equal(0)
      expect(stdout.split('\n')[0]).to.match(/^WORKER +HEIGHTS +STATUS +ATTEMPTS +SINCE +CODE/)
      expect(stdout).to.include('4 leases. 2 are flagged')
      expect(stdout).to.match(/^token_worker +0 to 9 +flagged +21 .* oops +a b$/m)
      const listed = async (...args: string[]): Promise<string[]> => {
        const { value } = await json<{ leases: { worker: string; from: number }[] }>('leases', 'list', ...args)
        return value.leases.map(({ worker, from }) => `${worker} ${from}`)
      }
      expect(await listed('--worker', 'accounts_worker')).to.deep.equal(['accounts_worker 40'])
      expect(await listed('--status', 'queued,failed')).to.deep.equal(['token_worker 10', 'token_worker 20'])
      expect(await listed('--from', '9', '--to', '10')).to.deep.equal(['token_worker 0', 'token_worker 10'])
      expect(await listed('--from', '30')).to.deep.equal(['accounts_worker 40'])
      expect(await listed('--code', 'oops', '--to', '5')).to.deep.equal(['token_worker 0'])
      expect((await run('leases', 'list', '--code', 'other')).stdout).to.equal('No matching leases.\n')
    })

    it('are changed, or only previewed with --dry-run', async () => {
      const before = await everything()
      for (const args of [
        ['requeue', '--all'],
        ['split', '--all'],
        ['skip', '--all', '--reason', 'x'],
      ]) {
        const { code, stdout } = await run('leases', ...args, '--dry-run')
        expect(code).to.equal(0)
        expect(stdout).to.include(`2 leases would be changed by ${args[0]}`)
      }
      expect(await everything()).to.equal(before)
      expect((await run('leases', 'split', '--worker', 'token_worker', '--pieces', '5')).stdout).to.include(
        '1 lease became 5.',
      )
      expect((await run('leases', 'requeue', '--from', '10', '--to', '10', '--status', 'failed')).stdout).to.include(
        '1 lease is requeued.',
      )
      const { value } = await json('leases', 'skip', '--all', '--reason', 'no use')
      expect(value).to.deep.equal({
        action: 'skip',
        found: 1,
        changed: 1,
        leases: [{ worker: 'accounts_worker', from: 40, to: 50 }],
      })
      expect((await leaseLines(pool)).join('; ')).to.equal(
        [
          'accounts_worker 40-50 skipped',
          ...[0, 2, 4, 6, 8].map((from) => `token_worker ${from}-${from + 2} queued`),
          'token_worker 10-20 queued',
          'token_worker 20-30 queued',
        ].join('; '),
      )
      expect((await run('leases', 'list', '--status', 'skipped')).stdout).to.include('skipped: no use')
      expect((await run('leases', 'requeue', '--all')).stdout).to.equal('No matching leases.\n')
    })
  })

  describe('raw', () => {
    before(() =>
      pool.query(`
      insert into raw.failing_heights (height, ingester, reason, cause, failing_since, attempts, given_up_at)
      values (500, 'main_ingester', 'INTERNAL: broken', 'nodes-failed', '2026-11-23T10:00:00Z', 7, null),
        (300, 'main_ingester', 'INTERNAL: broken', 'nodes-failed', '2026-11-22T10:00:00Z', 9, now());
      insert into raw.unavailable (block_height, part, reason, endpoint, recorded_at)
      values (300, 'block', 'INTERNAL: broken', 'node:9000', '2026-11-22T16:00:00Z'), (302, 'block', 'lost', 'node:9000', '2026-11-22T16:00:00Z')`),
    )
    after(() => pool.query('truncate raw.failing_heights, raw.unavailable'))

    it('lists failing and unavailable heights', async () => {
      const { code, stdout } = await run('raw', 'list')
      expect(code).to.equal(0)
      expect(stdout.split('\n')).to.deep.equal([
        '1 height failing, 2 heights unavailable',
        '500  failing since 2026-11-23T10:00:00.000Z: INTERNAL: broken',
        '300  unavailable (block) since 2026-11-22T16:00:00.000Z: INTERNAL: broken',
        '302  unavailable (block) since 2026-11-22T16:00:00.000Z: lost',
        '',
      ])
      const { value } = await json<{ failing: number; unavailable: number; heights: object[] }>('raw', 'list')
      expect(value).to.deep.include({ failing: 1, unavailable: 2 })
      expect(value.heights[0]).to.deep.equal({
        height: 500,
        state: 'failing',
        part: null,
        reason: 'INTERNAL: broken',
        since: '2026-11-23T10:00:00.000Z',
        count: 7,
      })
    })

    it('skips only the failing height, and is idempotent', async () => {
      for (let i = 0; i < 2; i++)
        expect(await json('raw', 'skip', '500')).to.deep.equal({ code: 0, value: { skipped: 500 } })
      expect((await run('raw', 'list')).stdout).to.include('500  skipping since')
      for (const height of ['300', '42', '501']) {
        const { code, stdout, stderr } = await run('raw', 'skip', height)
        expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
        expect(stderr)
          .to.include(`Could not skip height ${height}: it is not failing`)
          .and.include('npm run raw -- list')
          .and.not.match(/^ +at /m)
      }
    })

    it('refetches unavailable heights once', async () => {
      const generation = async (): Promise<unknown> =>
        (
          await pool.query<object>(
            "select generation::int4 from app.indexing_checkpoints where service_name = 'main_ingester'",
          )
        ).rows[0]
      const before = await generation()
      expect((await run('raw', 'retry', '300..301')).stdout).to.include('1 unavailable height will be fetched')
      expect(await generation()).to.not.deep.equal(before)
      expect(await json('raw', 'retry', '300..400')).to.deep.equal({ code: 0, value: { retried: [302] } })
      const after = await generation()
      expect(await json('raw', 'retry', '300..400')).to.deep.equal({ code: 0, value: { retried: [] } })
      expect(await generation()).to.deep.equal(after)
      expect((await run('raw', 'list')).stdout).to.include('1 height failing, 0 heights unavailable')
      expect((await pool.query('select from raw.failing_heights where height = 300')).rowCount).to.equal(0)
    })

    it('explains why a height fails', async () => {
      const wrong: readonly (readonly [string[], string])[] = [
        [['list', '5'], 'list takes no height'],
        [['skip'], 'skip needs a height'],
        [['skip', '5..7'], 'skip takes one height'],
        [['skip', '-5'], '-5'],
        [['retry', 'all'], 'not "all"'],
        [['retry', '7..5'], 'not "7..5"'],
        [['retry', '1e3'], 'not "1e3"'],
        [['retry', '9'.repeat(16)], 'needs a height'],
        [['skip', '5', '6'], '6'],
      ]
      for (const [args, words] of wrong) {
        const { code, stdout, stderr } = await run('raw', ...args)
        expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 1, stdout: '' })
        expect(stderr, args.join(' '))
          .to.include(words)
          .and.not.match(/^ +at /m)
      }
    })
  })
})
