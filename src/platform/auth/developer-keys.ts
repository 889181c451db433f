import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { query } from '../db/pool.ts'

/** Tiers of developer keys, with the requests a second that a key of each may make; null: as many as it likes. */
export const keyTiers = { free: 20, pro: 50, enterprise: 200, unlimited: null } as const

export type KeyTier = keyof typeof keyTiers

export const keyTierNames = ['free', 'pro', 'enterprise', 'unlimited'] as const satisfies readonly KeyTier[]

/** What is known of a key but the key itself, which only its owner has. */
export interface DeveloperKey {
  readonly id: number
  /** Whose webhooks it manages and whose requests it counts among: the account of the person who made it, or itself. */
  readonly ownerId: number
  /** The person of the authentication service whose account this is; null: it is a key. */
  readonly userId: string | null
  /** The first 12 characters of the key, by which its owner knows it. */
  readonly prefix: string
  /** Whose it is, or what for. */
  readonly name: string
  /** Of its account, where it has one. */
  readonly tier: KeyTier
  readonly createdAt: Date
  /** To the minute; null: never. */
  readonly lastUsedAt: Date | null
  /** When it or its account was revoked; null: it is good. */
  readonly revokedAt: Date | null
}

interface Looked {
  /** Undefined: there is no such key. */
  readonly key: DeveloperKey | undefined
  /** When it is looked up anew, in milliseconds of the clock. */
  readonly until: number
}

/** Of a row `k` and its account `a`, where it has one. */
export const keyColumns = `k.id::float8 as id, coalesce(k.account_id, k.id)::float8 as "ownerId", k.user_id as
  "userId", k.prefix, k.name,
  coalesce(a.tier, k.tier) as tier, k.created_at as "createdAt", k.last_used_at as "lastUsedAt", least(k.revoked_at,
    a.revoked_at) as "revokedAt"`
export const joinAccount = 'left join app.developer_keys a on a.id = k.account_id'

/** Keys that were looked up lately; beyond that the oldest are forgotten. */
const maxRemembered = 10_000

/**
 * Developer keys: `fs_live_` and 64 hex digits, of which the database holds the SHA-256 only. The digest needs no
 * salt and no slowness, since a key is 256 random bits and nothing that could be guessed.
 *
 * Each is looked up at most every `rememberMs`, so that a revoked one is refused everywhere within that time, and
 * at once by the process that revoked it.
 */
export class DeveloperKeys {
  readonly #pool: pg.Pool
  readonly #rememberMs: number
  readonly #clock: () => number
  readonly #looked = new Map<string, Looked>()

  constructor(pool: pg.Pool, { rememberMs = 30_000, clock = () => performance.now() } = {}) {
    this.#pool = pool
    this.#rememberMs = rememberMs
    this.#clock = clock
  }

  /** The key if it was looked up lately; `undefined` as value: it is not good. */
  recall(text: string): { readonly key: DeveloperKey | undefined } | undefined {
    if (!isKeyText(text)) return { key: undefined }
    const looked = this.#looked.get(digestOf(text).toString('hex'))
    return looked !== undefined && looked.until > this.#clock() ? looked : undefined
  }

  /** The key behind a text, unless it is none of ours or was revoked; its use is noted, at most once a minute. */
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

  /** Makes a key that stands for itself; its text is given here and never again. */
  async create({ name, tier }: Pick<DeveloperKey, 'name' | 'tier'>): Promise<NewKey> {
    return insertKey(this.#pool, { name, tier, accountId: null })
  }

  /** All keys and accounts, revoked ones included, the newest first. */
  async list(): Promise<readonly DeveloperKey[]> {
    const { rows } = await query<DeveloperKey>(
      this.#pool,
      `select ${keyColumns} from app.developer_keys k ${joinAccount} order by k.id desc`,
    )
    return rows
  }

  /**
   * Gives a key or an account another tier; keys of an account have that of the account.
   * @returns undefined where there is none
   */
  async changeTier(id: number, tier: KeyTier): Promise<DeveloperKey | undefined> {
    return this.#change('tier = $2', [id, tier])
  }

  /**
   * Revokes a key, or an account with its keys, for good.
   * @returns undefined where there is none; one that was revoked before stays as it is
   */
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
    this.#looked.clear()
    return key
  }

  #remember(hash: string, key: DeveloperKey | undefined): void {
    this.#looked.delete(hash)
    const [oldest] = this.#looked.keys()
    if (this.#looked.size >= maxRemembered && oldest !== undefined) this.#looked.delete(oldest)
    this.#looked.set(hash, { key, until: this.#clock() + this.#rememberMs })
  }
}

/** A key that was just made. */
export interface NewKey {
  /** The key itself, which is kept nowhere. */
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
  if (key === undefined) throw new Error('an insert gave no row back')
  return { text, key }
}

/** Whether a text has the form of a key; others are not looked up. */
export function isKeyText(text: string): boolean {
  return /^fs_live_[0-9a-f]{64}$/.test(text)
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
