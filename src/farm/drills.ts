import type pg from 'pg'
import type { DedicatedConnectionOptions } from '../platform/db/dedicated-connection.ts'
import { listen } from '../platform/db/listen.ts'
import type { Listener } from '../platform/db/listen.ts'
import { query } from '../platform/db/pool.ts'
import { FatalError, asError } from '../platform/errors.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import type { Logger } from '../platform/log.ts'
import type { HeightRange } from '../platform/ranges.ts'

/** Every range of the worker that meets these heights fails. At most one per worker. */
export interface FaultDrill extends HeightRange {
  readonly worker: string
  readonly reason: string | null
  readonly createdAt: string
}

export const drillsChannel = 'flowfarm_drills'

interface Row {
  readonly worker_type: string
  readonly from_height: string
  readonly to_height: string
  readonly reason: string | null
  readonly created_at: Date
}

export async function listDrills(db: pg.Pool | pg.ClientBase): Promise<FaultDrill[]> {
  const { rows } = await query<Row>(db, 'select * from app.fault_drills order by worker_type')
  return rows.map((row) => ({
    worker: row.worker_type,
    from: Number(row.from_height),
    to: Number(row.to_height),
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
  }))
}

/** Replaces an earlier one. @throws FatalError `empty-range` */
export async function setDrill(
  db: pg.Pool | pg.ClientBase,
  drill: Pick<FaultDrill, 'worker' | 'from' | 'to'> & { readonly reason?: string | undefined },
): Promise<void> {
  const { worker, from, to, reason } = drill
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from < to)) {
    throw new FatalError(
      'empty-range',
      `Could not set the drill: the range from ${from} to ${to} (exclusive) is empty.`,
    )
  }
  await query(
    db,
    `with drill as (
       insert into app.fault_drills (worker_type, from_height, to_height, reason) values ($1, $2, $3, $4)
       on conflict (worker_type) do update
         set from_height = excluded.from_height, to_height = excluded.to_height, reason = excluded.reason,
           created_at = now()
       returning worker_type
     )
     select pg_notify('${drillsChannel}', worker_type) from drill`,
    [worker, from, to, reason ?? null],
  )
}

/** Flagged ranges must be requeued. @returns the number of drills cleared */
export async function clearDrills(db: pg.Pool | pg.ClientBase, worker?: string): Promise<number> {
  const { rowCount } = await query(
    db,
    `with cleared as (delete from app.fault_drills where $1::text is null or worker_type = $1 returning worker_type)
     select pg_notify('${drillsChannel}', worker_type) from cleared`,
    [worker ?? null],
  )
  return rowCount ?? 0
}

interface DrillWatchOptions {
  /** For LISTEN. */
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  readonly signal: AbortSignal
  /** Interval of reads without a notification. Default 10,000 ms. */
  readonly refreshMs?: number
  readonly connection?: Pick<DedicatedConnectionOptions, 'heartbeatMs' | 'answerTimeoutMs'>
}

/** Caches the drills, so that checking a range needs no query. */
export class DrillWatch {
  readonly #options: DrillWatchOptions
  readonly #failures = new LogThrottle()
  #drills: ReadonlyMap<string, FaultDrill> = new Map()
  #timer: NodeJS.Timeout | undefined
  #listener: Listener | undefined
  #reading: Promise<void> | undefined
  #isStale = false

  private constructor(options: DrillWatchOptions) {
    this.#options = options
  }

  static async start(options: DrillWatchOptions): Promise<DrillWatch> {
    const { databaseUrl, log, signal, refreshMs = 10_000, connection } = options
    const watch = new DrillWatch(options)
    const refresh = (): void => void watch.#refresh()
    watch.#listener = await listen(databaseUrl, [drillsChannel], refresh, {
      ...connection,
      signal,
      applicationName: 'flowfarm drills',
      onReconnect: refresh,
      onError: (err) => log.debug({ err }, 'Fault drill notifications were interrupted: reconnecting'),
    })
    await watch.#refresh()
    watch.#timer = setInterval(refresh, refreshMs)
    watch.#timer.unref()
    return watch
  }

  faultFor(worker: string, range: HeightRange): Error | undefined {
    const drill = this.#drills.get(worker)
    if (drill === undefined || drill.from >= range.to || range.from >= drill.to) return undefined
    const why = drill.reason === null ? '' : `: ${drill.reason}`
    const heights = drill.to - drill.from === 1 ? `height ${drill.from}` : `heights ${drill.from} to ${drill.to - 1}`
    return new FatalError('fault-drill', `Fault drill of ${worker} at ${heights}${why}`)
  }

  /** Requires the signal to be aborted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#listener?.ended
    await this.#reading
  }

  /** A notification during a read triggers another one. Never rejects. */
  #refresh(): Promise<void> {
    this.#isStale = true
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #read(): Promise<void> {
    const { pool, log } = this.#options
    while (this.#isStale) {
      this.#isStale = false
      try {
        this.#replace(await listDrills(pool))
      } catch (error) {
        this.#failures.log(
          log,
          'warn',
          { err: asError(error) },
          'Could not read the fault drills: keeping the last known ones',
        )
      }
    }
  }

  #replace(drills: readonly FaultDrill[]): void {
    const { log } = this.#options
    for (const { worker, from, to, reason, createdAt } of drills) {
      if (this.#drills.get(worker)?.createdAt !== createdAt)
        log.warn({ worker, from, to, reason }, 'Fault drill is active')
    }
    for (const { worker } of this.#drills.values()) {
      if (drills.every((drill) => drill.worker !== worker)) log.warn({ worker }, 'Fault drill ended')
    }
    this.#drills = new Map(drills.map((drill) => [drill.worker, drill]))
  }
}
