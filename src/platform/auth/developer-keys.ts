import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { query } from '../db/pool.ts'

/** Requests a second; null: unlimited. */
export const keyTiers = { free: 20, pro: 50, enterprise: 200, unlimited: null } as const

export type KeyTier = keyof typeof keyTiers

export const keyTierNames = ['free', 'pro', 'enterprise', 'unlimited'] as const satisfies readonly KeyTier[]

export interface DeveloperKey {
  readonly id: number
  /** The account that owns the key, or the key itself. */
  readonly ownerId: number
  /** `sub` of the user, for accounts; null for keys. */
  readonly userId: string | null
  readonly prefix: string
  readonly name: string
  readonly tier: KeyTier
  readonly createdAt: Date
  /** To the minute; null: never. */
  readonly lastUsedAt: Date | null
  /** When the key or its account was revoked; null: active. */
  readonly revokedAt: Date | null
}

interface CachedLookup {
  readonly key: DeveloperKey | undefined
  /** Expiry of the cache entry, ms. */
  readonly until: number
}

export const keyColumns = `k.id::float8 as id, coalesce(k.account_id, k.id)::float8 as "ownerId", k.user_id as
  "userId", k.prefix, k.name,
  coalesce(a.tier, k.tier) as tier, k.created_at as "createdAt", k.last_used_at as "lastUsedAt", least(k.revoked_at,
    a.revoked_at) as "revokedAt"`
export const joinAccount = 'left join app.developer_keys a on a.id = k.account_id'

const maxCached = 10_000

/**
 * Developer keys: `fs_live_` and 64 hex digits, stored as SHA-256, since 256 random bits need no
 * salt or slow hash. A revoked key is refused at once by the process that revoked it, by others
 * within `cacheMs`.
 */
export class DeveloperKeys {
  readonly #pool: pg.Pool
  readonly #cacheMs: number
  readonly #clock: () => number
  readonly #lookups = new Map<string, CachedLookup>()

  constructor(pool: pg.Pool, { cacheMs = 30_000, clock = () => performance.now() } = {}) {
    this.#pool = pool
    this.#cacheMs = cacheMs
    this.#clock = clock
  }

  /** `key` is undefined for an invalid key. */
  recall(text: string): { readonly key: DeveloperKey | undefined } | undefined {
    if (!isKeyText(text)) return { key: undefined }
    const cached = this.#lookups.get(digestOf(text).toString('hex'))
    return cached !== undefined && cached.until > this.#clock() ? cached : undefined
  }

  /** Records its use at most once a minute. */
  async find(text: string): Promise<DeveloperKey | undefined> {
    const recalled = this.recall(text)
    if (recalled !== undefined) return recalled.key
    const hash = digestOf(text)
    const {
      rows: [key],
    } = await query<DeveloperKey & { isStale: boolean }>(
      this.#pool,
      `select ${keyColumns}, k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as "isStale"
       from app.developer_keys k ${joinAccount} where k.key_hash = $1 and k.revoked_at is null and a.revoked_at is
         null`,
      [hash],
    )
    if (key?.isStale === true) {
      await query(
        this.#pool,
        `update app.developer_keys set last_used_at = now()
         where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
        [key.id],
      )
    }
    this.#remember(hash.toString('hex'), key)
    return key
  }

  async create({ name, tier }: Pick<DeveloperKey, 'name' | 'tier'>): Promise<NewKey> {
    return insertKey(this.#pool, { name, tier, accountId: null })
  }

  /** Including revoked ones, newest first. */
  async list(): Promise<readonly DeveloperKey[]> {
    const { rows } = await query<DeveloperKey>(
      this.#pool,
      `select ${keyColumns} from app.developer_keys k ${joinAccount} order by k.id desc`,
    )
    return rows
  }

  async changeTier(id: number, tier: KeyTier): Promise<DeveloperKey | undefined> {
    return this.#change('tier = $2', [id, tier])
  }

  /** Permanent; idempotent. @returns undefined for an unknown id */
  async revoke(id: number): Promise<DeveloperKey | undefined> {
    return this.#change('revoked_at = coalesce(revoked_at, now())', [id])
  }

  async #change(assignment: string, values: unknown[]): Promise<DeveloperKey | undefined> {
    const {
      rows: [key],
    } = await query<DeveloperKey>(
      this.#pool,
      `with k as (update app.developer_keys set ${assignment} where id = $1 returning *) select ` +
        `${keyColumns} from k ${joinAccount}`,
      values,
    )
    this.#lookups.clear()
    return key
  }

  #remember(hash: string, key: DeveloperKey | undefined): void {
    this.#lookups.delete(hash)
    const [oldest] = this.#lookups.keys()
    if (this.#lookups.size >= maxCached && oldest !== undefined) this.#lookups.delete(oldest)
    this.#lookups.set(hash, { key, until: this.#clock() + this.#cacheMs })
  }
}

export interface NewKey {
  readonly text: string
  readonly key: DeveloperKey
}

export async function insertKey(
  db: pg.Pool | pg.ClientBase,
  { name, tier, accountId }: { readonly name: string; readonly tier: KeyTier; readonly accountId: number | null },
): Promise<NewKey> {
  const text = `fs_live_${randomBytes(32).toString('hex')}`
  const {
    rows: [key],
  } = await query<DeveloperKey>(
    db,
    `with k as (insert into app.developer_keys (key_hash, prefix, name, tier, account_id) values ($1, $2, $3, $4,
      $5) returning *)
     select ${keyColumns} from k ${joinAccount}`,
    [digestOf(text), text.slice(0, 12), name, tier, accountId],
  )
  if (key === undefined) throw new Error('the insert returned no row')
  return { text, key }
}

export function isKeyText(text: string): boolean {
  return /^fs_live_[0-9a-f]{64}$/.test(text)
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
