import type pg from 'pg'
import { z } from 'zod'
import { query, withTransaction } from '../../platform/db/pool.ts'
import { confirmation, recentMs, requireConfirmed } from './confirm.ts'
import { functionError, readData } from './endpoint.ts'
import type { SessionCall } from './endpoint.ts'
import { confirmationMissing } from './passkey-store.ts'

/** Time for the owner to cancel it. */
const delayHours = 24
/** After which it must begin again. */
const openHours = 48
/** Each is mailed. */
const beginLimit = { max: 3, periodMs: 86_400_000 } as const

const enableInput = z.object({ isEnabled: z.boolean(), confirmation })

type RecoveryState = {
  readonly isEnabled: boolean
  /** Null: none began. */
  readonly dueAt: Date | null
  readonly isDue: boolean
}

/**
 * Lets a user who lost all passkeys register one after an e-mail sign-in, 24 hours later. Off until
 * a passkey switches it on. It changes no account on the chain: the service holds no key of one.
 */
export class EmailRecovery {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async of(userId: string): Promise<RecoveryState> {
    const {
      rows: [row],
    } = await query<RecoveryState>(
      this.#pool,
      `select is_enabled as "isEnabled",
         case when due_at > now() - make_interval(hours => $2) then due_at end as "dueAt",
         coalesce(due_at <= now() and due_at > now() - make_interval(hours => $2), false) as "isDue"
       from wallet.recoveries where user_id = $1`,
      [userId, openHours],
    )
    return row ?? { isEnabled: false, dueAt: null, isDue: false }
  }

  async set(userId: string, isEnabled: boolean, db: pg.ClientBase): Promise<void> {
    await query(
      db,
      `insert into wallet.recoveries (user_id, is_enabled) values ($1, $2)
       on conflict (user_id) do update set is_enabled = $2, due_at = null`,
      [userId, isEnabled],
    )
  }

  /** Whether a mailbox reader could have registered this passkey, or the one that confirmed it. */
  async isLimited(userId: string, credentialId: string): Promise<boolean> {
    const { rowCount } = await query(
      this.#pool,
      `select from wallet.recoveries r join wallet.passkeys p using (user_id)
       where r.user_id = $1 and p.credential_id = $2 and p.created_at >= r.used_at`,
      [userId, credentialId],
    )
    return rowCount === 1
  }

  /** @returns undefined if it is off or began before */
  async begin(userId: string, db: pg.ClientBase): Promise<Date | undefined> {
    const {
      rows: [row],
    } = await query<{ dueAt: Date }>(
      db,
      `update wallet.recoveries set due_at = now() + make_interval(hours => $2)
       where user_id = $1 and is_enabled and (due_at is null or due_at <= now() - make_interval(hours => $3))
       returning due_at as "dueAt"`,
      [userId, delayHours, openHours],
    )
    return row?.dueAt
  }

  /** @returns false if it is not due */
  async use(userId: string, db: pg.ClientBase): Promise<boolean> {
    const { rowCount } = await query(
      db,
      `update wallet.recoveries set due_at = null, used_at = coalesce(used_at, now())
       where user_id = $1 and due_at <= now() and due_at > now() - make_interval(hours => $2)`,
      [userId, openHours],
    )
    return rowCount === 1
  }

  /** @returns whether one had begun */
  async cancel(userId: string, db: pg.Pool | pg.ClientBase = this.#pool): Promise<boolean> {
    const { rowCount } = await query(
      db,
      'update wallet.recoveries set due_at = null where user_id = $1 and due_at is not null',
      [userId],
    )
    return rowCount === 1
  }
}

export async function recoveryStatus({ signedIn: { user }, parts: { recovery } }: SessionCall): Promise<unknown> {
  return recovery.of(user.id)
}

/** With an assertion, also to switch it off: a reader of the mailbox could otherwise prevent it. */
export async function enableRecovery({ data, signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  const { recovery, audit, sessions, notifyRecovery, deliverMails } = parts
  const { isEnabled, confirmation: given } = readData(enableInput, data)
  const change = { action: 'email-recovery', isEnabled } as const
  if (!(await requireConfirmed({ userId: user.id, change, given, caller, parts }))) throw confirmationMissing()
  await withTransaction(parts.pool, async (db) => {
    if (!(await sessions.lockUser(db, user.id))) throw functionError('UNAUTHORIZED', 'The account was deleted.')
    await recovery.set(user.id, isEnabled, db)
    const event = isEnabled ? 'recovery_enabled' : 'recovery_disabled'
    await audit.note(caller, { event, isDone: true, userId: user.id }, db)
    await notifyRecovery(db, user.email, isEnabled ? 'enabled' : 'disabled', caller)
  })
  deliverMails()
  return recovery.of(user.id)
}

export async function beginRecovery({ signedIn, caller, parts }: SessionCall): Promise<unknown> {
  const { recovery, audit, rates, notifyRecovery, deliverMails } = parts
  const { user, authenticatedAt } = signedIn
  if (Date.now() - authenticatedAt.getTime() > recentMs)
    throw functionError('REAUTHENTICATION_REQUIRED', 'Your sign-in is older than 15 minutes. Sign in again.')
  await rates.take('begin recovery', user.id, beginLimit)
  await withTransaction(parts.pool, async (db) => {
    if ((await recovery.begin(user.id, db)) === undefined)
      throw functionError(
        'RECOVERY_UNAVAILABLE',
        'Recovery by e-mail is off for this user, or has begun. Sign in with a passkey to switch it on.',
      )
    await audit.note(caller, { event: 'recovery_started', isDone: true, userId: user.id }, db)
    await notifyRecovery(db, user.email, 'began', caller)
  })
  deliverMails()
  return recovery.of(user.id)
}

/** By any session of the user. */
export async function cancelRecovery({ signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  const { recovery, audit, notifyRecovery, deliverMails } = parts
  await withTransaction(parts.pool, async (db) => {
    if (!(await recovery.cancel(user.id, db))) return
    await audit.note(caller, { event: 'recovery_cancelled', isDone: true, userId: user.id }, db)
    await notifyRecovery(db, user.email, 'was cancelled', caller)
  })
  deliverMails()
  return recovery.of(user.id)
}
