import { randomBytes } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import { presentAnswer } from '../dto.ts'
import type { AnswerFields } from '../dto.ts'
import type { Alert, AlertDelivery, AlertRun, NewAlert } from './alert.ts'
import type { AlertMails } from './alert-mails.ts'
import type { QueryTarget } from '../query-service.ts'
import type { Parameter } from '../sql/parameters.ts'
import type { SqlAnswer } from '../sql/sql-runner.ts'
import { fires, readCondition, UnsuitableValue } from './condition.ts'
import type { AlertReading, LastReading } from './condition.ts'

/** Signed, ordered deliveries with retries, provided by the webhook feature. */
export interface AlertWebhooks {
  /** @throws ApiError 400 for a disallowed URL */
  open(
    client: ClientBase,
    endpoint: { readonly url: string; readonly description: string },
  ): Promise<{ readonly subscriptionId: number; readonly url: string; readonly secret: string }>
  /** In the transaction that records the firing. @returns false if the endpoint was deleted */
  send(
    client: ClientBase,
    subscriptionId: number,
    event: { readonly id: string; readonly at: Date; readonly data: Readonly<Record<string, unknown>> },
  ): Promise<boolean>
  deliveries(pool: Pool, subscriptionId: number, limit: number): Promise<readonly AlertDelivery[]>
  resume(client: ClientBase, subscriptionId: number): Promise<void>
  close(client: ClientBase, subscriptionId: number): Promise<void>
}

export const alertLimits = {
  perOwner: 20,
  total: 500,
  /** History per alert. */
  runs: 50,
  /** Consecutive failures of the statement that pause an alert. */
  failures: 5,
} as const

/** A claimed run. Only the newest claim can store its result. */
export interface AlertLease {
  readonly id: string
  readonly generation: number
  readonly target: QueryTarget
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

export type RunOutcome =
  | { readonly durationMs: number; readonly answer: SqlAnswer }
  | {
      readonly durationMs: number
      readonly error: string
      /** The service was busy: does not count as a failure of the statement. */
      readonly isTransient: boolean
    }

/** `limited`: an e-mail is delayed by its limit. */
export type RunResult = 'fired' | 'limited' | 'met' | 'not_met' | 'failed' | 'postponed' | 'lost'

const columns = `id, name, target, question, sql, parameters, condition, interval_seconds AS "intervalSeconds",
  repeat_hours AS "repeatHours", url, email, subscription_id::float8 AS "subscriptionId",
  paused_reason AS "pausedReason", is_met AS "isMet", last_value AS "lastValue", last_run_at AS "lastRunAt",
  last_fired_at AS "lastFiredAt",
  last_error AS "lastError", failures, next_run_at AS "nextRunAt", created_at AS "createdAt"`

type Row<T> = T & Record<string, unknown>

/** Alerts of each owner in app.alerts. Alerts of other owners are treated as nonexistent. */
export class AlertStore {
  readonly #pool: Pool
  readonly #webhooks: AlertWebhooks
  readonly #mails: AlertMails

  constructor(pool: Pool, webhooks: AlertWebhooks, mails: AlertMails) {
    this.#pool = pool
    this.#webhooks = webhooks
    this.#mails = mails
  }

  /** Newest first. */
  async list(owner: string): Promise<readonly Alert[]> {
    const sql = `
      SELECT ${columns} FROM app.alerts WHERE owner = $1
      ORDER BY created_at DESC, id LIMIT ${alertLimits.perOwner}`
    return (await query<Row<Alert>>(this.#pool, sql, [owner])).rows
  }

  /** @throws ApiError 404 `unknown-alert` */
  async find(owner: string, id: string): Promise<Alert> {
    const sql = `SELECT ${columns} FROM app.alerts WHERE owner = $1 AND id = $2`
    return known((await query<Row<Alert>>(this.#pool, sql, [owner, id])).rows[0])
  }

  /** Newest first. */
  async runs(id: string): Promise<readonly AlertRun[]> {
    const { rows } = await query<Row<AlertRun>>(
      this.#pool,
      `SELECT run::float8 AS run, finished_at AS "finishedAt", duration_ms AS "durationMs", is_met AS "isMet",
         has_fired AS "hasFired", row_count AS "rowCount", value, error
       FROM app.alert_runs WHERE alert_id = $1 ORDER BY run DESC LIMIT ${alertLimits.runs}`,
      [id],
    )
    return rows
  }

  async deliveries({ id, subscriptionId }: Alert): Promise<readonly AlertDelivery[]> {
    if (subscriptionId === null) return await this.#mails.deliveries(id, alertLimits.runs)
    return await this.#webhooks.deliveries(this.#pool, subscriptionId, alertLimits.runs)
  }

  /**
   * An e-mail alert runs when its recipient has confirmed it.
   * @param requestedBy as for `AlertMails.request`
   * @returns the secret of a webhook
   * @throws ApiError 409 `alerts-full`, 400 for a disallowed URL; errors of `AlertMails.request`
   */
  async create(
    owner: string,
    alert: NewAlert,
    requestedBy: string | undefined,
  ): Promise<{ readonly alert: Alert; readonly secret: string | null }> {
    await this.#mails.prune()
    const { ask, ...created } = await withTransaction(this.#pool, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('app.alerts', 0))`)
      const { rows: counted } = await query<{ own: number; total: number }>(
        client,
        'SELECT count(*) FILTER (WHERE owner = $1)::int AS own, count(*)::int AS total FROM app.alerts',
        [owner],
      )
      const { own = 0, total = 0 } = counted[0] ?? {}
      if (own >= alertLimits.perOwner) throw full(`Limit of alerts reached (${alertLimits.perOwner})`)
      if (total >= alertLimits.total) throw full(`Limit of alerts of all users reached (${alertLimits.total})`)
      const { url, email } = alert
      const opened =
        url === null ? undefined : await this.#webhooks.open(client, { url, description: `Alert: ${alert.name}` })
      const { rows } = await query<Row<Alert>>(
        client,
        `INSERT INTO app.alerts (id, owner, name, target, question, sql, condition, interval_seconds, repeat_hours, url,
           subscription_id, parameters, email, paused_at, paused_reason)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
           CASE WHEN $13::text IS NULL THEN NULL ELSE now() END,
           CASE WHEN $13::text IS NULL THEN NULL ELSE 'unconfirmed' END)
         RETURNING ${columns}`,
        [
          randomBytes(8).toString('hex'),
          owner,
          alert.name,
          alert.target,
          alert.question,
          alert.sql,
          JSON.stringify(alert.condition),
          alert.intervalSeconds,
          alert.repeatHours,
          opened?.url ?? null,
          opened?.subscriptionId ?? null,
          JSON.stringify(alert.parameters),
          email,
        ],
      )
      const stored = known(rows[0])
      const ask = email === null ? undefined : await this.#mails.request(client, { id: stored.id, email }, requestedBy)
      return { alert: stored, secret: opened?.secret ?? null, ask }
    })
    ask?.()
    return created
  }

  /** A running statement no longer counts. @throws ApiError 404 `unknown-alert` */
  async pause(owner: string, id: string): Promise<Alert> {
    return await this.#update(
      this.#pool,
      `paused_at = coalesce(paused_at, now()), paused_reason = coalesce(paused_reason, 'owner'),
         generation = generation + 1, leased_until = NULL`,
      [owner, id],
    )
  }

  /**
   * Runs it soon, and sends deliveries that wait. Asks the recipient of an unconfirmed alert again.
   * @throws ApiError 404 `unknown-alert`, 409 `alert-unsubscribed`; errors of `AlertMails.request`
   */
  async resume(owner: string, id: string, requestedBy: string | undefined): Promise<Alert> {
    const { alert, ask } = await withTransaction(this.#pool, async (client) => {
      const found = await this.#update(
        client,
        `failures = 0, paused_at = CASE paused_reason WHEN 'unconfirmed' THEN now() ELSE paused_at END`,
        [owner, id],
      )
      const { email, pausedReason, subscriptionId } = found
      if (pausedReason === 'unsubscribed')
        throw new ApiError(
          409,
          'alert-unsubscribed',
          'The recipient unsubscribed. Create a new alert, which the recipient must confirm.',
        )
      if (pausedReason === 'unconfirmed' && email !== null)
        return { alert: found, ask: await this.#mails.request(client, { id, email }, requestedBy) }
      const resumed = await this.#update(client, 'paused_at = NULL, paused_reason = NULL, next_run_at = now()', [
        owner,
        id,
      ])
      if (subscriptionId !== null) await this.#webhooks.resume(client, subscriptionId)
      return { alert: resumed, ask: undefined }
    })
    ask?.()
    return alert
  }

  /** @throws ApiError 404 `unknown-alert`, 409 `alert-paused` */
  async runSoon(owner: string, id: string): Promise<Alert> {
    const alert = await this.#update(this.#pool, 'next_run_at = least(next_run_at, now())', [owner, id])
    if (alert.pausedReason === null) return alert
    throw new ApiError(
      409,
      'alert-paused',
      'The alert is paused or unconfirmed. Resume or confirm it, which also runs it.',
    )
  }

  /** @throws ApiError 404 `unknown-alert` */
  async delete(owner: string, id: string): Promise<void> {
    await withTransaction(this.#pool, async (client) => {
      const { subscriptionId } = await this.#update(client, 'generation = generation + 1', [owner, id])
      await this.#mails.drop(client, [id])
      await client.query('DELETE FROM app.alerts WHERE id = $1', [id])
      if (subscriptionId !== null) await this.#webhooks.close(client, subscriptionId)
    })
  }

  /**
   * The longest due alert of the owner whose last run is the oldest, and of whom none runs in this process: slow
   * statements delay the alerts of other owners by one run each.
   */
  async claim(leaseMs: number, running: readonly string[]): Promise<AlertLease | undefined> {
    const { rows } = await query<Row<AlertLease>>(
      this.#pool,
      `WITH due AS (
         SELECT id FROM app.alerts a
         WHERE paused_at IS NULL AND next_run_at <= clock_timestamp()
           AND (leased_until IS NULL OR leased_until <= clock_timestamp())
           AND owner NOT IN (SELECT owner FROM app.alerts WHERE id = ANY ($2))
         ORDER BY (
           SELECT max(CASE WHEN leased_until > clock_timestamp() THEN clock_timestamp() ELSE last_run_at END)
           FROM app.alerts b WHERE b.owner = a.owner
         ) NULLS FIRST, next_run_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
       )
       UPDATE app.alerts a SET generation = generation + 1,
         leased_until = clock_timestamp() + make_interval(secs => $1 / 1000.0)
       FROM due WHERE a.id = due.id RETURNING a.id, a.generation::float8 AS generation, a.target, a.sql, a.parameters`,
      [leaseMs, running],
    )
    return rows[0]
  }

  /** Another process runs it at once. */
  async release({ id, generation }: AlertLease): Promise<void> {
    await query(this.#pool, 'UPDATE app.alerts SET leased_until = NULL WHERE id = $1 AND generation = $2', [
      id,
      generation,
    ])
  }

  /**
   * Stores the run, the state and the delivery in one transaction, so that a firing is neither lost nor repeated.
   * `lost` if another process took over the run.
   */
  async finish(lease: AlertLease, outcome: RunOutcome): Promise<RunResult> {
    const result = await this.#finish(lease, outcome)
    if (result === 'fired') this.#mails.deliver()
    return result
  }

  async #finish(lease: AlertLease, outcome: RunOutcome): Promise<RunResult> {
    return await withTransaction(this.#pool, async (client) => {
      const { rows } = await query<Row<Alert & { now: Date }>>(
        client,
        `SELECT ${columns}, now() AS now FROM app.alerts WHERE id = $1 AND generation = $2 FOR NO KEY UPDATE`,
        [lease.id, lease.generation],
      )
      const [alert] = rows
      if (alert === undefined) return 'lost'
      const { durationMs } = outcome
      const finished = 'error' in outcome ? outcome : judge(alert, outcome.answer)
      if ('error' in finished) {
        await recordFailure(client, lease, { ...finished, durationMs })
        return finished.isTransient ? 'postponed' : 'failed'
      }
      const { reading, isFiring, answer } = finished
      const failure = isFiring ? await this.#send(client, alert, { lease, value: reading.value, answer }) : undefined
      if (failure !== undefined && alert.email !== null) {
        await postponeMail(client, lease, { durationMs, reading, answer, error: failure })
        return 'limited'
      }
      const hasFired = isFiring && failure === undefined
      await query(
        client,
        `UPDATE app.alerts SET is_met = $2, last_value = $3, last_run_at = now(), last_error = NULL, failures = 0,
           last_fired_at = CASE WHEN $4 THEN now() ELSE last_fired_at END,
           paused_at = CASE WHEN $5 THEN coalesce(paused_at, now()) ELSE paused_at END,
           paused_reason = CASE WHEN $5 THEN 'webhook' ELSE paused_reason END,
           leased_until = NULL, next_run_at = now() + make_interval(secs => interval_seconds)
         WHERE id = $1`,
        [alert.id, reading.isMet, reading.value, hasFired, isFiring && !hasFired],
      )
      await recordRun(client, lease, {
        durationMs,
        isMet: reading.isMet,
        hasFired,
        rowCount: answer.rowCount,
        value: reading.value,
        error: null,
      })
      return hasFired ? 'fired' : reading.isMet ? 'met' : 'not_met'
    })
  }

  async #send(
    client: ClientBase,
    alert: Alert & { readonly now: Date },
    { lease, value, answer }: { readonly lease: AlertLease; readonly value: string | null; readonly answer: SqlAnswer },
  ): Promise<string | undefined> {
    const rows = boundedRows(answer)
    if (alert.subscriptionId === null)
      return await this.#mails.send(client, alert, { value, ...rows, isCut: rows.truncated })
    const isSent = await this.#webhooks.send(client, alert.subscriptionId, {
      id: `query.alert:${alert.id}:${lease.generation}`,
      at: alert.now,
      data: { ...presentEvent(alert), value, ...rows },
    })
    return isSent ? undefined : 'The endpoint was deleted.'
  }

  async #update(db: Pool | ClientBase, changes: string, [owner, id]: readonly [string, string]): Promise<Alert> {
    const sql = `UPDATE app.alerts SET ${changes} WHERE owner = $1 AND id = $2 RETURNING ${columns}`
    return known((await query<Row<Alert>>(db, sql, [owner, id])).rows[0])
  }
}

function presentEvent({ id, name, question, condition }: Alert): Record<string, unknown> {
  return { alert_id: id, name, question, condition }
}

/** Bytes of the rows in a delivery; further rows are omitted. */
export const maxDeliveredBytes = 64_000

function boundedRows(answer: SqlAnswer): Pick<AnswerFields, 'columns' | 'results' | 'row_count' | 'truncated'> {
  const { columns, results, row_count: rowCount, truncated } = presentAnswer(answer)
  let bytes = 0
  const kept = results.filter((row) => {
    bytes += Buffer.byteLength(JSON.stringify(row))
    return bytes <= maxDeliveredBytes
  })
  return { columns, results: kept, row_count: rowCount, truncated: truncated || kept.length < results.length }
}

interface Judged {
  readonly reading: AlertReading
  readonly isFiring: boolean
  readonly answer: SqlAnswer
}

interface Failure {
  readonly error: string
  readonly isTransient: boolean
}

function judge(alert: Alert & { readonly now: Date }, answer: SqlAnswer): Judged | Failure {
  const { condition, repeatHours, now } = alert
  const last: LastReading = { isMet: alert.isMet, value: alert.lastValue, firedAt: alert.lastFiredAt }
  try {
    const reading = readCondition(condition, answer.rows, last)
    return { reading, isFiring: fires(condition, reading, last, { now, repeatHours }), answer }
  } catch (error) {
    if (!(error instanceof UnsuitableValue)) throw error
    return { error: error.message, isTransient: false }
  }
}

async function recordFailure(
  client: ClientBase,
  lease: AlertLease,
  { error, isTransient, durationMs }: Failure & { readonly durationMs: number },
): Promise<void> {
  await query(
    client,
    `UPDATE app.alerts SET last_run_at = now(), last_error = $2, failures = failures + $3,
       paused_at = CASE WHEN failures + $3 >= $4 THEN coalesce(paused_at, now()) ELSE paused_at END,
       paused_reason = CASE WHEN failures + $3 >= $4 THEN coalesce(paused_reason, 'failures') ELSE paused_reason END,
       leased_until = NULL, next_run_at = now() + make_interval(secs => interval_seconds)
     WHERE id = $1`,
    [lease.id, error, isTransient ? 0 : 1, alertLimits.failures],
  )
  await recordRun(client, lease, { durationMs, isMet: null, hasFired: false, rowCount: null, value: null, error })
}

/** The alert is not marked as true, so that a later run sends the e-mail. */
async function postponeMail(
  client: ClientBase,
  lease: AlertLease,
  {
    durationMs,
    reading,
    answer,
    error,
  }: {
    readonly durationMs: number
    readonly reading: AlertReading
    readonly answer: SqlAnswer
    readonly error: string
  },
): Promise<void> {
  await query(
    client,
    `UPDATE app.alerts SET last_run_at = now(), last_error = $2, failures = 0, leased_until = NULL,
       next_run_at = now() + make_interval(secs => interval_seconds)
     WHERE id = $1`,
    [lease.id, error],
  )
  const { isMet, value } = reading
  await recordRun(client, lease, { durationMs, isMet, hasFired: false, rowCount: answer.rowCount, value, error })
}

async function recordRun(
  client: ClientBase,
  { id, generation }: AlertLease,
  { durationMs, isMet, hasFired, rowCount, value, error }: Omit<AlertRun, 'run' | 'finishedAt'>,
): Promise<void> {
  await query(
    client,
    `INSERT INTO app.alert_runs (alert_id, run, duration_ms, is_met, has_fired, row_count, value, error)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, generation, durationMs, isMet, hasFired, rowCount, value, error],
  )
  await query(
    client,
    `DELETE FROM app.alert_runs WHERE alert_id = $1 AND run <= (
       SELECT run FROM app.alert_runs WHERE alert_id = $1 ORDER BY run DESC OFFSET ${alertLimits.runs} LIMIT 1
     )`,
    [id],
  )
}

function known<T>(row: T | undefined): T {
  if (row === undefined) throw new ApiError(404, 'unknown-alert', 'No alert has this id.', { field: 'id' })
  return row
}

function full(reason: string): ApiError {
  return new ApiError(409, 'alerts-full', `${reason}. Delete alerts that are not needed.`)
}
