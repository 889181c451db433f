import { join } from 'node:path'
import type pg from 'pg'
import { pause } from '../../../src/platform/retry.ts'
import { processesIn } from '../../../src/platform/db/embedded/leftover-servers.ts'
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded/start-embedded-postgres.ts'
import type { EmbeddedPostgres } from '../../../src/platform/db/embedded/start-embedded-postgres.ts'
import { createPool } from '../../../src/platform/db/pool.ts'

/** Application name of the runner's own connections in pg_stat_activity. */
const observer = 'chaos run'

/**
 * The database server of a run, and the runner's own connections to it.
 *
 *     up ──stop(), kill(), unexpected exit──► down ──start()──► up
 */
export class ChaosPostgres {
  readonly #folder: string
  readonly #log: (line: string) => void
  readonly #onUnexpectedExit: (lastLines: string) => void
  #server: EmbeddedPostgres | undefined
  #isStopping = false
  #pool: pg.Pool | undefined

  /** @param onUnexpectedExit called after an unexpected exit of the server */
  constructor(folder: string, log: (line: string) => void, onUnexpectedExit: (lastLines: string) => void) {
    this.#folder = folder
    this.#log = log
    this.#onUnexpectedExit = onUnexpectedExit
  }

  get isUp(): boolean {
    return this.#server !== undefined
  }

  /** Unchanged across restarts. */
  get url(): string {
    if (this.#server === undefined) throw new Error('the database is down')
    return this.#server.url
  }

  /** Connections of the runner, which survive the server. */
  get pool(): pg.Pool {
    this.#pool ??= createPool(this.url, {
      max: 4,
      applicationName: observer,
      statementTimeoutMs: 0,
      connectTimeoutMs: 2000,
    })
    return this.#pool
  }

  async start(): Promise<void> {
    const server = await startEmbeddedPostgres({
      dataFolder: this.#folder,
      wait: true,
      log: this.#log,
      // WAL retention must fit a small disk.
      settings: { max_wal_size: '256MB', shared_buffers: '128MB' },
    })
    this.#server = server
    this.#isStopping = false
    void server.exited.then(({ lastLines }) => {
      this.#server = undefined
      if (!this.#isStopping) this.#onUnexpectedExit(lastLines)
    })
  }

  /** Regular shutdown: ends sessions and needs no recovery. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#server?.stop()
  }

  /** Kills all server processes at once. */
  async kill(): Promise<void> {
    this.#isStopping = true
    const server = this.#server
    for (const pid of await processesIn(join(this.#folder, 'cluster'))) kill(pid)
    await server?.exited
  }

  /** Kills one session of the program: the server ends all others, recovers and resumes. */
  async crashSession(): Promise<void> {
    const {
      rows: [session],
    } = await this.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name <> $1 and backend_type = 'client backend' and datname = current_database()
       order by (state = 'active') desc, pid limit 1`,
      [observer],
    )
    if (session !== undefined) kill(session.pid)
  }

  /** Ends all connections of the program; new ones are accepted. */
  async cut(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name <> $1 and backend_type = 'client backend' and datname = current_database()`,
      [observer],
    )
    return rowCount ?? 0
  }

  /** Resolves when it responds. */
  async answers(): Promise<void> {
    for (;;) {
      try {
        await this.pool.query('select 1')
        return
      } catch {
        await pause(50)
      }
    }
  }

  /** Server processes that are still running. */
  async leftOver(): Promise<readonly number[]> {
    return processesIn(join(this.#folder, 'cluster'))
  }

  async end(): Promise<void> {
    await this.#pool?.end()
    await this.stop()
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
