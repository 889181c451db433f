import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { SharedChat } from './shared-chat.ts'

export interface NewShare {
  /** Opens the snapshot: 128 random bits, base64url. */
  readonly token: string
  /** Revokes the link; not part of it. */
  readonly revokeKey: string
  readonly expiresAt: Date
}

export interface StoredShare {
  readonly snapshot: SharedChat
  readonly createdAt: Date
  readonly expiresAt: Date
}

export const maxShares = { perOwner: 100, total: 5000 } as const

const deleteExpired = 'DELETE FROM app.chat_shares WHERE expires_at <= now()'

/** Snapshots in app.chat_shares. Tokens are stored as hashes only. */
export class SharedChats {
  readonly #pool: Pool
  readonly #days: number
  readonly #max: { readonly perOwner: number; readonly total: number }

  /** @param days how long links work */
  constructor(pool: Pool, days: number, max: { readonly perOwner: number; readonly total: number } = maxShares) {
    this.#pool = pool
    this.#days = days
    this.#max = max
  }

  get days(): number {
    return this.#days
  }

  /** @throws ApiError 403 `sharing-disabled`, 409 `shares-full` */
  async create(owner: string, snapshot: SharedChat): Promise<NewShare> {
    if (this.#days === 0)
      throw new ApiError(403, 'sharing-disabled', 'Sharing is disabled: CHAT_SHARE_DAYS is 0. Export the chat instead.')
    const [token, revokeKey] = [newSecret(), newSecret()]
    return await withTransaction(this.#pool, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('app.chat_shares', 0))`)
      await client.query(deleteExpired)
      const { rows: counted } = await query<{ own: number; total: number }>(
        client,
        `SELECT (SELECT count(*)::int FROM app.chat_shares WHERE owner = $1) AS own,
           (SELECT count(*)::int FROM app.chat_shares) AS total`,
        [owner],
      )
      const { own = 0, total = 0 } = counted[0] ?? {}
      if (own >= this.#max.perOwner) throw full(`You have ${own} shared chats, the limit. Revoke links first.`)
      if (total >= this.#max.total)
        throw full(`The server has ${total} shared chats, the limit. Export the chat instead.`)
      const { rows } = await query<{ expiresAt: Date }>(
        client,
        `INSERT INTO app.chat_shares (token_hash, revoke_hash, owner, snapshot, expires_at)
         VALUES ($1, $2, $3, $4, now() + make_interval(days => $5)) RETURNING expires_at AS "expiresAt"`,
        [hashOf(token), hashOf(revokeKey), owner, JSON.stringify(snapshot), this.#days],
      )
      const [inserted] = rows
      if (inserted === undefined) throw new TypeError('an insert returns one row')
      return { token, revokeKey, ...inserted }
    })
  }

  async find(token: string): Promise<StoredShare | undefined> {
    const { rows } = await query<{ snapshot: string; createdAt: Date; expiresAt: Date }>(
      this.#pool,
      `SELECT snapshot, created_at AS "createdAt", expires_at AS "expiresAt" FROM app.chat_shares
       WHERE token_hash = $1 AND expires_at > now()`,
      [hashOf(token)],
    )
    const [found] = rows
    return found === undefined ? undefined : { ...found, snapshot: JSON.parse(found.snapshot) as SharedChat }
  }

  async deleteExpired(): Promise<void> {
    await this.#pool.query(deleteExpired)
  }

  async revoke(token: string, revokeKey: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      'DELETE FROM app.chat_shares WHERE token_hash = $1 AND revoke_hash = $2',
      [hashOf(token), hashOf(revokeKey)],
    )
    return rowCount === 1
  }
}

function newSecret(): string {
  return randomBytes(16).toString('base64url')
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function full(text: string): ApiError {
  return new ApiError(409, 'shares-full', text)
}
