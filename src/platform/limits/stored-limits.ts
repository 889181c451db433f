import { createHash } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../db/named-query.ts'
import type { StatementRunner } from '../db/named-query.ts'
import { query } from '../db/pool.ts'
import { ApiError } from '../errors.ts'

/** So many times at once, and as many again over the period. */
export interface RateLimit {
  readonly most: number
  readonly periodMs: number
}

/** One time that somebody does something. */
export interface Turn {
  /** What is done, such as `passkey login/start`. */
  readonly action: string
  /** Who does it: an address, an account. It is kept as a hash. */
  readonly subject: string
  readonly limit: RateLimit
}

/**
 * Counts one call (`turnValues` from `$first`) and returns a row if it is allowed, none otherwise. Each call postpones
 * the moment at which the limit is free again, by at most the period. The clock is read after the row is locked.
 * @param of digest and source, if another part of the statement has the subject
 */
export function countTurn(first: number, of?: { readonly digest: string; readonly from: string }): string {
  const [action, digest, step, period] =
    of === undefined ? [first, `$${first + 1}`, first + 2, first + 3] : [first, of.digest, first + 1, first + 2]
  const later = (base: string, ms: number): string => `${base} + $${ms} * interval '1 ms'`
  return `insert into wallet_auth.rate_limits as l (action, subject, full_at) select $${action}, ${digest},
    ${later('clock_timestamp()', step)} ${of?.from ?? ''}
    on conflict (action, subject) do update set full_at = ${later('greatest(l.full_at, clock_timestamp())', step)}
    where ${later('greatest(l.full_at, clock_timestamp())', step)} <= ${later('clock_timestamp()', period)} returning 1`
}

/** Four values; without the second one where the statement knows it. */
export function turnValues({
  action,
  subject,
  limit: { most, periodMs },
}: Turn): readonly [action: string, digest: Buffer, stepMs: number, periodMs: number] {
  return [action, createHash('sha256').update(subject).digest(), periodMs / most, periodMs]
}

const countOne = countTurn(1)

/**
 * Rate limits in an unlogged table: for all processes and across restarts, except a crash of the database. If the
 * database fails, nothing is allowed.
 */
export class RateLimits {
  readonly #pool: pg.Pool
  readonly #statements: StatementRunner

  /** @param statements where times are counted */
  constructor(pool: pg.Pool, statements: StatementRunner = pool) {
    this.#pool = pool
    this.#statements = statements
  }

  /**
   * Counts one time.
   * @param action what is done, such as `passkey login/start`
   * @param subject who does it: an address, an account. It is kept as a hash
   * @param db a transaction that the count is part of: it is undone with it, and locked until its end. Default: none
   * @throws ApiError 429 `RATE_LIMITED` with `retryAfterSeconds` in its details
   */
  async take(
    action: string,
    subject: string,
    { most, periodMs }: RateLimit,
    db: StatementRunner = this.#statements,
  ): Promise<void> {
    const turn: Turn = { action, subject, limit: { most, periodMs } }
    const { rowCount } = await namedQuery(db, countOne, [...turnValues(turn)])
    if (rowCount !== 1) await this.refuse(turn, db === this.#statements ? this.#pool : db)
  }

  /** Refuses a call and says when to retry. @throws ApiError 429 `RATE_LIMITED` with `retryAfterSeconds` */
  async refuse(turn: Turn, db: StatementRunner = this.#pool): Promise<never> {
    const [action, digest, stepMs, periodMs] = turnValues(turn)
    const {
      rows: [row],
    } = await namedQuery<{ seconds: number }>(
      db,
      `select ceil(extract(epoch from full_at - now()) + $3::float8)::float8 as seconds from wallet_auth.rate_limits
        where action = $1 and subject = $2`,
      [action, digest, (stepMs - periodMs) / 1000],
    )
    const retryAfterSeconds = Math.max(1, row?.seconds ?? 1)
    throw new ApiError(429, 'RATE_LIMITED', `That was too often; try again in ${retryAfterSeconds} s.`, {
      details: { retryAfterSeconds },
    })
  }

  /** Forgets those who may do all again. */
  async prune(): Promise<void> {
    await query(this.#pool, 'delete from wallet_auth.rate_limits where full_at < now()')
  }
}
