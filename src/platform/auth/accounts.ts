import { randomBytes } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type pg from 'pg'
import { ApiError } from '../errors.ts'
import { query, withTransaction } from '../db/pool.ts'
import { insertKey, joinAccount, keyColumns } from './developer-keys.ts'
import type { DeveloperKey, DeveloperKeys, NewKey } from './developer-keys.ts'

export interface AccountsOptions {
  readonly pool: pg.Pool
  readonly keys: DeveloperKeys
  readonly jwtSecret: string | undefined
}

const maxKeys = 20

/**
 * API accounts of auth-service users. An account is a developer-key row without a usable key; its keys share
 * its tier, webhooks and rate limit.
 */
export class Accounts {
  readonly #pool: pg.Pool
  readonly #keys: DeveloperKeys
  readonly #secret: Uint8Array | undefined

  constructor({ pool, keys, jwtSecret }: AccountsOptions) {
    this.#pool = pool
    this.#keys = keys
    this.#secret = jwtSecret === undefined ? undefined : new TextEncoder().encode(jwtSecret)
  }

  /**
   * Creates the account on first use.
   * @throws ApiError 401 `bad-credentials`, `expired-credentials`; 403 `account-revoked`
   */
  async ofJwt(jwt: string): Promise<DeveloperKey> {
    return this.ofUser(await this.#subjectOf(jwt))
  }

  /** Creates the account on first use. @throws ApiError 403 `account-revoked` */
  async ofUser(userId: string, db: pg.Pool | pg.ClientBase = this.#pool): Promise<DeveloperKey> {
    const account = (await this.find(userId, db)) ?? (await this.#make(userId, db))
    if (account.revokedAt !== null)
      throw new ApiError(403, 'account-revoked', 'This account was revoked by an administrator.')
    return account
  }

  /** Active keys, newest first; for a key without account, that key. */
  async keysOf(ownerId: number): Promise<readonly DeveloperKey[]> {
    const { rows } = await query<DeveloperKey>(
      this.#pool,
      `select ${keyColumns} from app.developer_keys k ${joinAccount}
       where (k.account_id = $1 or (k.id = $1 and k.user_id is null)) and k.revoked_at is null order by k.id desc`,
      [ownerId],
    )
    return rows
  }

  /** @throws ApiError 403 `no-account` for a key without account, 403 `too-many-keys` */
  async makeKey(ownerId: number, name: string, within?: pg.ClientBase): Promise<NewKey> {
    const make = async (client: pg.ClientBase): Promise<NewKey> => {
      const {
        rows: [account],
      } = await query<{ user_id: string | null; count: number }>(
        client,
        `select user_id, (select count(*)::int from app.developer_keys k where k.account_id = a.id and k.revoked_at
          is null) as count
         from app.developer_keys a where a.id = $1 for no key update of a`,
        [ownerId],
      )
      if (account === undefined || account.user_id === null) {
        throw new ApiError(
          403,
          'no-account',
          'This key was created by an administrator and belongs to no account. Ask an administrator for another key.',
        )
      }
      if (account.count >= maxKeys)
        throw new ApiError(
          403,
          'too-many-keys',
          `The account has ${maxKeys} keys, which is the limit. Revoke one first.`,
        )
      return insertKey(client, { name, tier: 'free', accountId: ownerId })
    }
    return within === undefined ? withTransaction(this.#pool, make) : make(within)
  }

  /** @throws ApiError 404 `unknown-key` */
  async revokeKey(ownerId: number, id: number): Promise<void> {
    const own = await this.keysOf(ownerId)
    if (!own.some((key) => key.id === id)) throw new ApiError(404, 'unknown-key', `Key ${id} was not found.`)
    await this.#keys.revoke(id)
  }

  async #subjectOf(jwt: string): Promise<string> {
    const refused = (cause?: unknown): ApiError =>
      new ApiError(
        401,
        'bad-credentials',
        'The credential is neither a developer key nor a valid JWT of the authentication service.',
        { cause },
      )
    if (this.#secret === undefined) throw refused()
    try {
      const { payload } = await jwtVerify(jwt, this.#secret, { algorithms: ['HS256'], requiredClaims: ['exp', 'sub'] })
      if (typeof payload.sub !== 'string' || payload.sub === '' || payload.sub.length > 200) throw refused()
      return payload.sub
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw new ApiError(401, 'expired-credentials', 'The JWT has expired. Get a new one.', { cause: error })
      if (error instanceof errors.JOSEError) throw refused(error)
      throw error
    }
  }

  async find(userId: string, db: pg.Pool | pg.ClientBase = this.#pool): Promise<DeveloperKey | undefined> {
    const {
      rows: [account],
    } = await query<DeveloperKey>(
      db,
      `select ${keyColumns} from app.developer_keys k ${joinAccount} where k.user_id = $1`,
      [userId],
    )
    return account
  }

  async #make(userId: string, db: pg.Pool | pg.ClientBase): Promise<DeveloperKey> {
    // The digest of an unknown random value: no key matches it.
    await query(
      db,
      `insert into app.developer_keys (key_hash, prefix, name, tier, user_id) values ($1, 'account', ` +
        `$2, 'free', $2) on conflict (user_id) do nothing`,
      [randomBytes(32), userId],
    )
    const account = await this.find(userId, db)
    if (account === undefined) throw new Error('the created account was not found')
    return account
  }
}

/**
 * Revokes and anonymises the account and keys of a removed user, in the transaction that removes
 * them.
 * @param userId `sub` of the authentication service
 */
export async function anonymizeAccount(client: pg.ClientBase, userId: string): Promise<void> {
  // Key creation locks the account first too, so the next statement sees a concurrent new key.
  const {
    rows: [account],
  } = await query<{ id: number }>(
    client,
    `update app.developer_keys set user_id = null, name = 'deleted user', revoked_at = ` +
      'coalesce(revoked_at, now()) where user_id = $1 returning id::float8 as id',
    [userId],
  )
  if (account === undefined) return
  await query(
    client,
    `update app.developer_keys set name = 'deleted user', revoked_at = ` +
      'coalesce(revoked_at, now()) where account_id = $1',
    [account.id],
  )
}
