import { createHash } from 'node:crypto'
import type pg from 'pg'
import { ApiError } from '../../base/errors.ts'
import { query } from '../../db/pool.ts'

/** So many times at once, and as many again over the period. */
export interface RateLimit {
  readonly most: number
  readonly periodMs: number
}

/**
 * How often somebody may do something, counted in the database: for all processes together, and over restarts. Where the database does not
 * answer, nobody may do anything.
 */
export class RateLimits {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /**
   * Counts one time.
   * @param action what is done, such as `passkey login/start`
   * @param subject who does it: an address, an account. It is kept as a hash
   * @throws ApiError 429 `RATE_LIMITED` with `retryAfterSeconds` in its details
   */
  async take(action: string, subject: string, { most, periodMs }: RateLimit): Promise<void> {
    const digest = createHash('sha256').update(subject).digest()
    const stepMs = periodMs / most
    // Each time puts off the moment from which on all of them are free again; it is never put off by more than the period. The clock is read when
    // it is this one's turn: of several at once, the one that began first may come last.
    const { rowCount } = await query(
      this.#pool,
      `insert into wallet_auth.rate_limits as l (action, subject, full_at) values ($1, $2, clock_timestamp() + $3 * interval '1 ms')
       on conflict (action, subject) do update set full_at = greatest(l.full_at, clock_timestamp()) + $3 * interval '1 ms'
       where greatest(l.full_at, clock_timestamp()) + $3 * interval '1 ms' <= clock_timestamp() + $4 * interval '1 ms'`,
      [action, digest, stepMs, periodMs],
    )
    if (rowCount === 1) return
    const { rows: [row] } = await query<{ seconds: number }>(
      this.#pool,
      `select ceil(extract(epoch from full_at - now()) + $3::float8)::float8 as seconds from wallet_auth.rate_limits where action = $1 and subject = $2`,
      [action, digest, (stepMs - periodMs) / 1000],
    )
    const retryAfterSeconds = Math.max(1, row?.seconds ?? 1)
    throw new ApiError(429, 'RATE_LIMITED', `That was too often; try again in ${retryAfterSeconds} s.`, { details: { retryAfterSeconds } })
  }

  /** Forgets those who may do all again. */
  async prune(): Promise<void> {
    await query(this.#pool, 'delete from wallet_auth.rate_limits where full_at < now()')
  }
}
