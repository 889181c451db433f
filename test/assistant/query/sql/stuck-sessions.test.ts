import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Client } from 'pg'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { readKnownTypes } from '../../../../src/assistant/query/sql/result-types.ts'
import { ServerSessions } from '../../../../src/assistant/query/sql/server-sessions.ts'
import type { SqlAnswer } from '../../../../src/assistant/query/sql/sql-runner.ts'
import { StatementRunner } from '../../../../src/assistant/query/sql/statement-runner.ts'
import { statementSlots } from '../../../../src/assistant/query/sql/statement-slots.ts'
import { startEmbeddedPostgres } from '../../../../src/platform/db/embedded/start-embedded-postgres.ts'
import type { EmbeddedPostgres } from '../../../../src/platform/db/embedded/start-embedded-postgres.ts'
import { createPool } from '../../../../src/platform/db/pool.ts'
import { ApiError } from '../../../../src/platform/errors.ts'
import { pause } from '../../../../src/platform/retry.ts'

const maxReplaced = 2
/** Of pino. */
const errorLevel = 50

/** Each computes for minutes or hours and ignores cancel and terminate requests. */
const uninterruptible = {
  'a distance of paths': "select path(polygon(20000, circle '((0,0),1)')) <-> path(polygon(20000, circle '((1,1),1)'))",
  'translate()': "select length(translate(repeat('a', 30000000), repeat('b', 30000), ''))",
  'overlapping arrays':
    'select array_agg(g) && (select array_agg(-g - 1) from generate_series(1, 300000) g) from generate_series(1, 300000) g',
  'a parallel worker':
    "select length(translate(repeat('a', g), repeat('b', 30000), '')) from generate_series(30000000, 30000000) g",
} as const

describe('sessions that PostgreSQL cannot cancel', () => {
  let folder: string
  let server: EmbeddedPostgres
  let admin: Pool
  let pool: Pool
  let stop: AbortController
  let sessions: ServerSessions
  let counts: number[]
  let errors: string[]
  let onMessage: (message: string) => void

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-stuck-'))
    server = await startEmbeddedPostgres({
      dataFolder: folder,
      log: () => undefined,
      settings: { fsync: 'off', shared_buffers: '32MB', max_connections: '16' },
    })
    admin = createPool(server.url, { max: 1 })
  })
  afterEach(async () => {
    stop.abort()
    await pool.end()
    // Leftover sessions must not slow down the next test.
    for (let left = await atWork(); left.length > 0; left = await atWork()) {
      await admin.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [left])
      await server.interrupt(left)
    }
  })
  after(async () => {
    await admin.end()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function atWork(sql?: string): Promise<number[]> {
    const { rows } = await admin.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE application_name = 'flowfarm ask' AND state = 'active' AND query = coalesce($1, query)`,
      [sql],
    )
    return rows.map(({ pid }) => pid)
  }

  /**
   * Runs a statement, disconnects its client after a second of CPU time (well past parsing), and
   * resolves with the client's error.
   */
  async function leave(
    runner: StatementRunner,
    sql: string,
    onRunning = async (): Promise<void> => undefined,
  ): Promise<string | undefined> {
    // The session about to run it may still be active, with the reset after its last statement.
    const others = new Set(await atWork(sql))
    const disconnect = new AbortController()
    const ended = new AbortController()
    const left = codeOf(run(runner, sql, disconnect.signal)).finally(() => ended.abort())
    while (!ended.signal.aborted) {
      const seconds = await Promise.all((await atWork(sql)).filter((pid) => !others.has(pid)).map(processorSeconds))
      if (Math.max(0, ...seconds) >= 1) break
      await pause(20)
    }
    await onRunning()
    disconnect.abort()
    return left
  }

  /** A runner without the gate, with one slot. */
  async function open(options: {
    isOurs: boolean
    slots?: number
    timeoutMs?: number
    settings?: Record<string, string>
  }): Promise<StatementRunner> {
    const { isOurs, slots = 1, timeoutMs = 100_000, settings = {} } = options
    pool = createPool(server.url, { max: slots, applicationName: 'flowfarm ask', statementTimeoutMs: 0, settings })
    const client = await pool.connect()
    const types = await readKnownTypes(client)
    client.release()
    stop = new AbortController()
    counts = []
    errors = []
    onMessage = () => undefined
    const read = (line: string): void => {
      const { level, msg } = JSON.parse(line) as { readonly level: number; readonly msg: string }
      if (level >= errorLevel) errors.push(msg)
      onMessage(msg)
    }
    const log = pino({ level: 'debug' }, { write: read })
    sessions = new ServerSessions({
      url: server.url,
      log,
      signal: stop.signal,
      stuckAfterMs: 100,
      maxReplaced,
      onStuck: (count) => void counts.push(count),
      interrupt: isOurs ? (pids) => server.interrupt(pids) : undefined,
    })
    return new StatementRunner({
      connect: () => pool.connect(),
      slots: statementSlots(slots, 100),
      types,
      role: undefined,
      timeoutMs,
      answerGraceMs: 50,
      maxBytes: 1_000_000,
      cancel: (pid) => sessions.cancel(pid),
      endSession: (pid, onStuck) => sessions.end(pid, onStuck),
      onLost: () => undefined,
    })
  }

  const run = (runner: StatementRunner, sql: string, signal?: AbortSignal): Promise<SqlAnswer> =>
    runner.run({ sql, maxRows: 10, signal })

  async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return error instanceof ApiError ? error.code : String(error)
  }

  /** Rows or error of a statement once it gets a slot. */
  async function untilAnswered(runner: StatementRunner, sql: string, signal?: AbortSignal): Promise<unknown> {
    for (;;) {
      const outcome = await run(runner, sql, signal).then(
        ({ rows }) => rows,
        (error: unknown) => error,
      )
      if (!(outcome instanceof ApiError && ['sql-busy', 'sql-stuck', 'sql-timeout'].includes(outcome.code)))
        return outcome
      await pause(5)
    }
  }

  for (const [what, sql] of Object.entries(uninterruptible)) {
    it(`are interrupted on the embedded server, free their slot and leave other sessions unaffected: ${what}`, async () => {
      const runner = await open({
        isOurs: true,
        ...(what === 'a parallel worker' ? { settings: { debug_parallel_query: 'on' } } : {}),
      })
      const startedAt = (await admin.query<{ at: string }>('SELECT pg_postmaster_start_time()::text AS at')).rows
      expect(await leave(runner, sql)).to.equal('sql-cancelled')
      expect((await run(runner, 'select 7')).rows).to.deep.equal([[7]])
      while ((await atWork()).length > 0) await pause(5)
      while (sessions.stuckCount > 0) await pause(5)
      expect((await admin.query('SELECT pg_postmaster_start_time()::text AS at')).rows).to.deep.equal(startedAt)
    })
  }

  it('are interrupted at their timeout', async () => {
    const runner = await open({ isOurs: true, timeoutMs: 1000 })
    expect(await codeOf(run(runner, uninterruptible['translate()']))).to.equal('sql-timeout')
    expect(await untilAnswered(runner, 'select 7')).to.deep.equal([[7]])
  })

  it('are tracked also while the server has no free connection', async () => {
    const runner = await open({ isOurs: false })
    const others: Client[] = []
    const isRefused = new Promise<void>((resolve) => {
      onMessage = (message) => message.startsWith('Cannot reach PostgreSQL') && resolve()
    })
    const left = await leave(runner, uninterruptible['translate()'], async () => {
      for (;;) {
        const other = new Client(server.url)
        try {
          await other.connect()
        } catch (error) {
          expect(error).to.include({ code: '53300' })
          return
        }
        others.push(other)
      }
    })
    expect(left).to.equal('sql-cancelled')
    await isRefused
    await Promise.all(others.map((other) => other.end()))
    while (sessions.stuckCount === 0) await pause(5)
    expect(errors.at(-1)).to.match(/does not terminate/)
  })

  it('are replaced up to a limit on a foreign server, with an alarm, and free their slots when they end', async () => {
    const runner = await open({ isOurs: false, slots: 2 })
    for (let stuck = 1; stuck <= maxReplaced; stuck++) {
      expect(await leave(runner, uninterruptible['translate()'])).to.equal('sql-cancelled')
      expect((await run(runner, 'select 7')).rows).to.deep.equal([[7]])
      while (sessions.stuckCount < stuck) await admin.query('SELECT')
    }
    expect(counts.at(-1)).to.equal(maxReplaced)
    expect(errors).to.have.length(maxReplaced)
    expect(errors[0]).to.match(/does not terminate.*Its slot was replaced.*kill -s FPE \d+/)

    // The next stuck session is not replaced; the other slot still works.
    expect(await leave(runner, uninterruptible['translate()'])).to.equal('sql-cancelled')
    while (sessions.stuckCount <= maxReplaced) await admin.query('SELECT')
    expect(errors.at(-1)).to.include('Its slot stays in use')
    expect((await run(runner, 'select 7')).rows).to.deep.equal([[7]])
    // Without free slots, new and queued statements are rejected at once.
    expect(await leave(runner, uninterruptible['translate()'])).to.equal('sql-cancelled')
    expect(await codeOf(run(runner, 'select 7'))).to.equal('sql-stuck')
    expect(sessions.stuckCount).to.equal(maxReplaced + 2)
    expect(await codeOf(run(runner, 'select 7'))).to.equal('sql-stuck')
    const stuck: number[] = []
    // Excludes the short-lived monitoring sessions.
    for (const pid of await atWork()) if ((await processorSeconds(pid)) >= 0.5) stuck.push(pid)
    // A session that waits for a page or the processor is not interrupted.
    while (sessions.stuckCount > maxReplaced) {
      await server.interrupt(stuck.slice(0, 2))
      await admin.query('SELECT')
    }
    // Both slots become available again: two statements run besides the stuck ones.
    const disconnect = new AbortController()
    const both = [1, 2].map(() => untilAnswered(runner, 'select pg_sleep(600)', disconnect.signal))
    while ((await admin.query("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'")).rowCount !== 2)
      await pause(5)
    disconnect.abort()
    for (const outcome of await Promise.all(both)) expect(outcome).to.include({ code: 'sql-cancelled' })
  })
})

/** User-mode CPU time of a process; 0 when it has ended. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // Field 14, in hundredths of a second; field 2, in parentheses, is the name.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[11] ?? 0) / 100
}
