import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { query } from '../../../platform/db/pool.ts'
import type { Queryable } from '../connections/queryable.ts'

/** What was sent to us and signed, so that it counts once. The headers beside it are not signed, and so not part of what is remembered. */
export class DeliveryStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** @param signed what the signature is of @returns whether it comes for the first time; another transaction with the same waits for this one */
  async isNew(db: Queryable, source: 'github' | 'workflow', signed: Buffer, keptDays: number): Promise<boolean> {
    const { rowCount } = await query(
      db,
      `insert into editor.deliveries (digest, source, kept_until) values ($1, $2, now() + make_interval(days => $3)) on conflict (digest) do nothing`,
      [createHash('sha256').update(source).update('\0').update(signed).digest(), source, keptDays],
    )
    return rowCount === 1
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from editor.deliveries where kept_until < now()')
  }
}
