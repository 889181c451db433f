import { isIP } from 'node:net'
import type pg from 'pg'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { namedQuery } from '../../platform/db/named-query.ts'
import { query } from '../../platform/db/pool.ts'

const passkeyEvents = [
  'registration_started',
  'registration_completed',
  'registration_failed',
  'authentication_started',
  'authentication_completed',
  'authentication_failed',
  'passkey_removed',
  'passkey_restored',
  'passkey_updated',
  'rate_limit_exceeded',
  'challenge_expired',
  'counter_mismatch',
  'recovery_enabled',
  'recovery_disabled',
  'recovery_started',
  'recovery_cancelled',
  'recovery_used',
] as const
type PasskeyEvent = (typeof passkeyEvents)[number]

export interface PasskeyNote {
  readonly event: PasskeyEvent
  readonly isDone: boolean
  readonly userId?: string | undefined
  readonly credentialId?: string | undefined
  /** Never a secret. */
  readonly reason?: string | undefined
}

interface PasskeyActivity {
  readonly at: Date
  readonly event: PasskeyEvent
  readonly done: boolean
  readonly credentialId: string | null
  readonly ip: string | null
  readonly origin: string | null
  readonly userAgent: string | null
  readonly reason: string | null
}

/** Inserts one row per row of `from`; `noteValues` from `$first`. */
export function insertNote(first: number, from = ''): string {
  const types = ['text', 'boolean', 'uuid', 'text', 'inet', 'text', 'text', 'text']
  return `insert into wallet.audit_log (event, is_done, user_id, credential_id, ip, origin, user_agent, reason)
    select ${types.map((type, at) => `$${first + at}::${type}`).join(', ')} ${from}`
}

export function noteValues(
  { address, origin, userAgent }: Caller,
  { event, isDone, userId, credentialId, reason }: PasskeyNote,
): readonly unknown[] {
  return [
    event,
    isDone,
    userId ?? null,
    credentialId ?? null,
    plainAddress(address),
    origin?.slice(0, 300) ?? null,
    userAgent?.slice(0, 400) ?? null,
    reason ?? null,
  ]
}

const insertOne = insertNote(1)

const maxRemembered = 10_000

/** A change fails if its row cannot be written. */
export class PasskeyAudit {
  readonly #pool: pg.Pool
  readonly #onNote: (note: PasskeyNote) => void
  readonly #limited = new Map<string, number>()

  constructor(pool: pg.Pool, onNote: (note: PasskeyNote) => void = () => undefined) {
    this.#pool = pool
    this.#onNote = onNote
  }

  /** @param db the row is part of this transaction */
  async note(caller: Caller, note: PasskeyNote, db: pg.Pool | pg.ClientBase = this.#pool): Promise<void> {
    await namedQuery(db, insertOne, [...noteValues(caller, note)])
    this.noted(note)
  }

  noted(note: PasskeyNote): void {
    this.#onNote(note)
  }

  /** At most one row a minute per subject. */
  async noteLimited(caller: Caller, action: string, userId: string | undefined): Promise<void> {
    const now = performance.now()
    const subject = `${action} ${userId ?? clientNetwork(caller.address)}`
    if (now < (this.#limited.get(subject) ?? Number.NEGATIVE_INFINITY)) return
    this.#limited.delete(subject)
    const [oldest] = this.#limited.keys()
    if (this.#limited.size >= maxRemembered && oldest !== undefined) this.#limited.delete(oldest)
    this.#limited.set(subject, now + 60_000)
    await this.note(caller, { event: 'rate_limit_exceeded', isDone: false, userId, reason: action })
  }

  async of(userId: string, max: number): Promise<readonly PasskeyActivity[]> {
    const { rows } = await query<PasskeyActivity>(
      this.#pool,
      `select at, event, is_done as done, credential_id as "credentialId", host(ip) as ip, origin,
        user_agent as "userAgent", reason
       from wallet.audit_log where user_id = $1 order by id desc limit $2`,
      [userId, max],
    )
    return rows
  }

  async prune(): Promise<void> {
    await query(this.#pool, "delete from wallet.audit_log where user_id is null and at < now() - interval '90 days'")
  }
}

/** PostgreSQL rejects the zone of link-local addresses. */
function plainAddress(address: string): string | null {
  const plain = address.split('%', 1)[0] ?? ''
  return isIP(plain) === 0 ? null : plain
}

export interface Caller {
  /** Resolved with TRUSTED_PROXIES. */
  readonly address: string
  /** Undefined for same-origin and non-browser requests. */
  readonly origin: string | undefined
  readonly userAgent: string | undefined
}
