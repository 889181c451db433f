import { createHash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { query, withTransaction } from '../../platform/db/pool.ts'
import { ApiError, asError } from '../../platform/errors.ts'
import type { WalletNetwork } from '../settings.ts'
import { consumeChallenge } from './challenges.ts'
import { confirmation, recentMs, requireConfirmed } from './confirm.ts'
import { functionError, readData } from './endpoint.ts'
import type { PasskeyParts, SessionCall } from './endpoint.ts'
import type { Caller } from './passkey-audit.ts'
import { confirmationMissing, requirePasskeyQuota } from './passkey-store.ts'
import { registrationName, registrationOptions, verifyRegistration } from './register.ts'
import type { NewPasskey } from './register.ts'
import { registrationResponse, VerificationFailure, verificationFailed } from './webauthn.ts'

/** Time for the owner to cancel it. */
const delayHours = 24
/** After which it must begin again. */
const openHours = 48
/** Each is mailed. */
const beginLimit = { max: 3, periodMs: 86_400_000 } as const
/** Transactions that one recovery costs the payer, per step. */
const maxAccounts = 20
const maxDue = 20

const enableInput = z.object({ isEnabled: z.boolean(), confirmation })
const beginInput = z.object({ challengeId: z.uuid(), response: registrationResponse })

interface RecoveryState {
  readonly isEnabled: boolean
  /** When the passkey is registered. Null: none began. */
  readonly dueAt: Date | null
  /** Accounts on which the key of the passkey is announced. */
  readonly addresses: readonly string[]
}

interface PendingPasskey extends NewPasskey {
  readonly name: string
  /** Client that began it. */
  readonly caller: Caller
}

type StoredPasskey = Omit<PendingPasskey, 'publicKey' | 'publicKeySec1'> & {
  readonly publicKey: string
  readonly publicKeySec1: string
}

/**
 * Registers a passkey for a user who lost all others, 24 hours after an e-mail sign-in. Off until a
 * passkey switches it on. Accounts whose owner switched that on get the key of the passkey.
 */
export class EmailRecovery {
  readonly #pool: pg.Pool
  readonly #networks: readonly WalletNetwork[]

  /** @param networks that have the contract FlowfarmRecovery */
  constructor(pool: pg.Pool, networks: readonly WalletNetwork[]) {
    this.#pool = pool
    this.#networks = networks
  }

  async of(userId: string): Promise<RecoveryState> {
    const {
      rows: [row],
    } = await query<RecoveryState>(
      this.#pool,
      `select is_enabled as "isEnabled", due_at as "dueAt",
         array(select address from wallet.account_recoveries a
           where a.user_id = r.user_id and state in ('announced', 'ready', 'complete') order by 1) as addresses
       from wallet.recoveries r where user_id = $1`,
      [userId],
    )
    return row ?? { isEnabled: false, dueAt: null, addresses: [] }
  }

  async set(userId: string, isEnabled: boolean, db: pg.ClientBase): Promise<void> {
    await this.cancel(userId, undefined, db)
    await query(
      db,
      `insert into wallet.recoveries (user_id, is_enabled) values ($1, $2)
       on conflict (user_id) do update set is_enabled = $2`,
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

  /** @returns false if it is off, began before, or the passkey is registered */
  async begin(userId: string, passkey: PendingPasskey, db: pg.ClientBase): Promise<boolean> {
    const { publicKey, publicKeySec1, ...rest } = passkey
    const stored: StoredPasskey = {
      ...rest,
      publicKey: publicKey.toString('hex'),
      publicKeySec1: publicKeySec1.toString('hex'),
    }
    const { rowCount } = await query(
      db,
      `update wallet.recoveries set due_at = now() + make_interval(hours => $3), passkey = $2
       where user_id = $1 and is_enabled and due_at is null
         and not exists (select from wallet.passkeys where public_key_sec1 = $4)`,
      [userId, JSON.stringify(stored), delayHours, publicKeySec1],
    )
    if (rowCount !== 1) return false
    await query(
      db,
      `insert into wallet.account_recoveries as r (user_id, network, address, public_key, state)
       select $1, network, address, $2, 'announce' from (
         select a.network, a.address from wallet.accounts a join wallet.passkeys p using (credential_id)
           where p.user_id = $1 and a.user_id = $1 and a.state = 'sealed'
         union select network, address from wallet.further_accounts where user_id = $1
       ) as own where network = any($3) order by network, address limit $4
       on conflict (user_id, network, address) do update
         set public_key = excluded.public_key, state = 'announce', attempts = 0, next_at = now()`,
      [userId, publicKeySec1.subarray(1), this.#networks, maxAccounts],
    )
    return true
  }

  /** Users whose passkey is due, and known to the chain wherever it will be a key. */
  async due(): Promise<readonly string[]> {
    const { rows } = await query<{ userId: string }>(
      this.#pool,
      `select user_id as "userId" from wallet.recoveries r where due_at <= now() and not exists (
         select from wallet.account_recoveries a where a.user_id = r.user_id and state in ('announce', 'announced'))
       order by due_at limit $1`,
      [maxDue],
    )
    return rows.map(({ userId }) => userId)
  }

  async pending(userId: string): Promise<PendingPasskey | undefined> {
    const {
      rows: [row],
    } = await query<{ passkey: StoredPasskey }>(
      this.#pool,
      'select passkey from wallet.recoveries where user_id = $1 and passkey is not null',
      [userId],
    )
    if (row === undefined) return undefined
    const { publicKey, publicKeySec1, ...rest } = row.passkey
    return {
      ...rest,
      publicKey: Buffer.from(publicKey, 'hex'),
      publicKeySec1: Buffer.from(publicKeySec1, 'hex'),
    }
  }

  /** @returns false if it is not due */
  async use(userId: string, credentialId: string, db: pg.ClientBase): Promise<boolean> {
    const { rowCount } = await query(
      db,
      `update wallet.recoveries set due_at = null, passkey = null, used_at = coalesce(used_at, now())
       where user_id = $1 and passkey ->> 'credentialId' = $2 and due_at <= now()
         and due_at > now() - make_interval(hours => $3)`,
      [userId, credentialId, openHours],
    )
    if (rowCount !== 1) return false
    await query(
      db,
      "update wallet.account_recoveries set state = 'complete', next_at = now() where user_id = $1 and state = 'ready'",
      [userId],
    )
    return true
  }

  /**
   * @param by passkey that was used: the recovered one does not cancel its own keys. @returns
   * whether one had begun
   */
  async cancel(userId: string, by?: string, db: pg.Pool | pg.ClientBase = this.#pool): Promise<boolean> {
    const { rowCount } = await query(
      db,
      `with a as (
         update wallet.account_recoveries set state = 'cancel', attempts = 0, next_at = now()
         where user_id = $1 and state <> 'cancel' and (state <> 'complete' or public_key is distinct from (
           select substring(public_key_sec1 from 2) from wallet.passkeys where credential_id = $2 and user_id = $1))
         returning 1
       ), r as (
         update wallet.recoveries set due_at = null, passkey = null where user_id = $1 and due_at is not null
         returning 1
       ) select from a union all select from r`,
      [userId, by ?? null],
    )
    return (rowCount ?? 0) > 0
  }

  async cancelExpired(): Promise<void> {
    const { rows } = await query<{ userId: string }>(
      this.#pool,
      `select user_id as "userId" from wallet.recoveries where due_at <= now() - make_interval(hours => $1)
       order by due_at limit $2`,
      [openHours, maxDue],
    )
    for (const { userId } of rows) await this.cancel(userId)
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

/** Of challenges for the passkey of a recovery, which `/register/finish` does not take as confirmed. */
const recoveryHash = createHash('sha256').update('email recovery').digest()

export async function startRecovery({ signedIn, caller, parts }: SessionCall): Promise<unknown> {
  const { passkeys, relyingParty, recovery, challenges, audit } = parts
  const { user } = signedIn
  requireRecent(signedIn)
  const { isEnabled, dueAt } = await recovery.of(user.id)
  if (!isEnabled || dueAt !== null) throw unavailable()
  requirePasskeyQuota((await passkeys.descriptors(user.id, relyingParty.id)).length)
  const challenge = await challenges.create(
    { kind: 'registration', userId: user.id, actionHash: recoveryHash },
    relyingParty.id,
  )
  await audit.note(caller, { event: 'registration_started', isDone: true, userId: user.id, reason: 'recovery' })
  return { options: await registrationOptions(user, challenge.bytes, parts), challengeId: challenge.id }
}

export async function beginRecovery({ data, signedIn, caller, parts }: SessionCall): Promise<unknown> {
  const { relyingParty, recovery, audit, rates, notifyRecovery, deliverMails } = parts
  const { user } = signedIn
  requireRecent(signedIn)
  const given = readData(beginInput, data)
  const challenge = await consumeChallenge(
    { id: given.challengeId, kind: 'registration', userId: user.id, actionHash: recoveryHash },
    caller,
    parts,
  )
  const made = await verifyRegistration(given.response, { relyingParty, challengeHash: challenge.hash }).catch(
    (error: unknown) => {
      throw error instanceof VerificationFailure ? verificationFailed(error, 422) : error
    },
  )
  await rates.take('begin recovery', user.id, beginLimit)
  await withTransaction(parts.pool, async (db) => {
    if (!(await recovery.begin(user.id, { ...made, name: registrationName(made.aaguid), caller }, db)))
      throw unavailable()
    const about = { userId: user.id, credentialId: made.credentialId }
    await audit.note(caller, { ...about, event: 'recovery_started', isDone: true }, db)
    await notifyRecovery(db, user.email, 'began', caller)
  })
  deliverMails()
  return recovery.of(user.id)
}

function requireRecent({ authenticatedAt }: SessionCall['signedIn']): void {
  if (Date.now() - authenticatedAt.getTime() > recentMs)
    throw functionError('REAUTHENTICATION_REQUIRED', 'Your sign-in is older than 15 minutes. Sign in again.')
}

function unavailable(): ApiError {
  return functionError(
    'RECOVERY_UNAVAILABLE',
    'Recovery by e-mail is off for this user, or has begun. Sign in with a passkey to switch it on.',
  )
}

/** By any session of the user. */
export async function cancelRecovery({ signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  await cancelAndNotify(user, caller, parts)
  return parts.recovery.of(user.id)
}

async function cancelAndNotify(
  user: SessionCall['signedIn']['user'],
  caller: Caller,
  { pool, recovery, audit, notifyRecovery, deliverMails }: PasskeyParts,
): Promise<void> {
  await withTransaction(pool, async (db) => {
    if (!(await recovery.cancel(user.id, undefined, db))) return
    await audit.note(caller, { event: 'recovery_cancelled', isDone: true, userId: user.id }, db)
    await notifyRecovery(db, user.email, 'was cancelled', caller)
  })
  deliverMails()
}

/** After the owner ended its announcement on the chain. */
export async function cancelRecoveryOf(userId: string, parts: PasskeyParts): Promise<void> {
  const [user, pending] = await Promise.all([parts.sessions.findUser(userId), parts.recovery.pending(userId)])
  if (user === undefined || pending === undefined) await parts.recovery.cancel(userId)
  else await cancelAndNotify(user, pending.caller, parts)
}

/** Registers the passkeys that are due. Each recovery registers one; it stays switched on. */
export async function completeRecoveries(parts: PasskeyParts): Promise<void> {
  await parts.recovery.cancelExpired()
  for (const userId of await parts.recovery.due()) {
    const pending = await parts.recovery.pending(userId)
    if (pending === undefined) continue
    try {
      await completeRecovery(userId, pending, parts)
    } catch (error) {
      // Otherwise another process completed it.
      if ((await parts.recovery.pending(userId))?.credentialId !== pending.credentialId) continue
      parts.log.error({ err: asError(error), userId }, 'Could not register the passkey of a recovery')
      if (error instanceof ApiError && error.status < 500) await parts.recovery.cancel(userId)
    }
  }
}

async function completeRecovery(userId: string, pending: PendingPasskey, parts: PasskeyParts): Promise<void> {
  const { passkeys, relyingParty, recovery, sessions, audit } = parts
  const user = await sessions.findUser(userId)
  if (user === undefined) {
    await recovery.cancel(userId)
    return
  }
  const { caller, ...passkey } = pending
  await passkeys.add(userId, relyingParty.id, { ...passkey, isConfirmed: true }, async (db) => {
    if (!(await recovery.use(userId, passkey.credentialId, db))) throw unavailable()
    if (!(await sessions.lockUser(db, userId))) throw functionError('UNAUTHORIZED', 'The account was deleted.')
    const about = { userId, credentialId: passkey.credentialId, isDone: true }
    await audit.note(caller, { ...about, event: 'recovery_used' }, db)
    await audit.note(caller, { ...about, event: 'registration_completed', reason: 'recovery' }, db)
    await parts.notifyRecovery(db, user.email, 'was used', caller)
    await parts.notifyOwner(db, user.email, 'added', caller)
  })
  parts.deliverMails()
}
