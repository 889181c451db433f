import { createHash } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../../../platform/db/named-query.ts'
import type { StatementRunner } from '../../../platform/db/named-query.ts'
import { query } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'

/** `max` calls at once; refills over the period. */
export interface RateLimit {
  readonly max: number
  readonly periodMs: number
}

export interface Attempt {
  readonly action: string
  /** Stored as a hash. */
  readonly subject: string
  readonly limit: RateLimit
}

/**
 * Returns a row if the call is allowed. The clock is read after the row is locked. @param first of
 * `attemptValues`
 */
export function countAttempt(first: number): string {
  const later = (base: string, parameter: number): string => `${base} + $${parameter} * interval '1 ms'`
  const [step, period] = [first + 2, first + 3]
  return `insert into wallet_auth.rate_limits as l (action, subject, full_at) select $${first}, $${first + 1},
    ${later('clock_timestamp()', step)}
    on conflict (action, subject) do update set full_at = ${later('greatest(l.full_at, clock_timestamp())', step)}
    where ${later('greatest(l.full_at, clock_timestamp())', step)} <= ${later('clock_timestamp()', period)} returning 1`
}

export function attemptValues({
  action,
  subject,
  limit: { max, periodMs },
}: Attempt): readonly [action: string, digest: Buffer, stepMs: number, periodMs: number] {
  return [action, createHash('sha256').update(subject).digest(), periodMs / max, periodMs]
}

const countOne = countAttempt(1)

/**
 * An unlogged table, shared by all processes and lost only in a crash of the database. Calls are
 * rejected without a database.
 */
export class RateLimits {
  readonly #pool: pg.Pool
  readonly #statements: StatementRunner

  constructor(pool: pg.Pool, statements: StatementRunner = pool) {
    this.#pool = pool
    this.#statements = statements
  }

  /**
   * @param db a transaction: the count is rolled back with it, and its row stays locked until the
   * end @throws ApiError 429 `RATE_LIMITED` with `retryAfterSeconds` in its details
   */
  async take(action: string, subject: string, limit: RateLimit, db: StatementRunner = this.#statements): Promise<void> {
    const attempt: Attempt = { action, subject, limit }
    const { rowCount } = await namedQuery(db, countOne, [...attemptValues(attempt)])
    if (rowCount !== 1) await this.refuse(attempt, db === this.#statements ? this.#pool : db)
  }

  /** @throws ApiError 429 `RATE_LIMITED` with `retryAfterSeconds` */
  async refuse(attempt: Attempt, db: StatementRunner = this.#pool): Promise<never> {
    const [action, digest, stepMs, periodMs] = attemptValues(attempt)
    const {
      rows: [row],
    } = await namedQuery<{ seconds: number }>(
      db,
      `select ceil(extract(epoch from full_at - now()) + $3::float8)::float8 as seconds from wallet_auth.rate_limits
        where action = $1 and subject = $2`,
      [action, digest, (stepMs - periodMs) / 1000],
    )
    const retryAfterSeconds = Math.max(1, row?.seconds ?? 1)
    throw new ApiError(429, 'RATE_LIMITED', `Too many requests. Try again in ${retryAfterSeconds} s.`, {
      details: { retryAfterSeconds },
    })
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from wallet_auth.rate_limits where full_at < now()')
  }
}
