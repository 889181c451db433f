import { createHash, randomInt } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { query } from '../../platform/db/pool.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { challengeMs, consumeChallenge } from './challenges.ts'
import { confirmation, requireConfirmed } from './confirm.ts'
import { functionError, readData, shortName } from './endpoint.ts'
import type { OpenCall, PasskeyParts, SessionCall } from './endpoint.ts'
import { confirmationMissing, requirePasskeyQuota } from './passkey-store.ts'
import { registrationName, registrationOptions, verifyRegistration } from './register.ts'
import type { NewPasskey } from './register.ts'
import { credentialId, registrationResponse, VerificationFailure, verificationFailed } from './webauthn.ts'

/** Time to enter the code and to accept the passkey. */
const lifeMinutes = 10
/** Without characters that look alike. 32^8 codes. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const codeLength = 8

const code = z
  .string()
  .transform((text) => text.replaceAll(/[\s-]/g, '').toUpperCase())
  .pipe(z.string().regex(new RegExp(`^[${alphabet}]{${codeLength}}$`), 'must be a code of 8 characters'))
const joinInput = z.object({ code })
const finishInput = z.object({
  code,
  challengeId: z.uuid(),
  response: registrationResponse,
  name: shortName.optional(),
})
const acceptInput = z.object({ credentialId, confirmation })

interface JoinedRow extends NewPasskey {
  readonly name: string
  readonly client: string
}

/**
 * A passkey of another device: the code lets that device propose one, and only an assertion for
 * exactly that passkey adds it. A new request replaces the one before.
 */
export class DeviceRequests {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async start(userId: string): Promise<{ readonly code: string; readonly expiresAt: Date }> {
    const made = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
    const {
      rows: [row],
    } = await query<{ expiresAt: Date }>(
      this.#pool,
      `insert into wallet.device_requests (user_id, code_hash, expires_at)
       values ($1, $2, now() + make_interval(mins => $3))
       on conflict (user_id) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at,
         passkey = null, client = null
       returning expires_at as "expiresAt"`,
      [userId, digestOf(made), lifeMinutes],
    )
    return { code: made, expiresAt: row?.expiresAt ?? new Date() }
  }

  /** The user of a code that no device used yet. */
  async userOf(given: string): Promise<string | undefined> {
    const {
      rows: [row],
    } = await query<{ userId: string }>(
      this.#pool,
      `select user_id as "userId" from wallet.device_requests
       where code_hash = $1 and expires_at > now() and passkey is null`,
      [digestOf(given)],
    )
    return row?.userId
  }

  /** @returns false if another device was first */
  async join(given: string, { publicKey, publicKeySec1, ...passkey }: JoinedRow): Promise<boolean> {
    const { client, ...rest } = passkey
    const stored = { ...rest, publicKey: publicKey.toString('hex'), publicKeySec1: publicKeySec1.toString('hex') }
    const { rowCount } = await query(
      this.#pool,
      `update wallet.device_requests set passkey = $2, client = $3
       where code_hash = $1 and expires_at > now() and passkey is null`,
      [digestOf(given), JSON.stringify(stored), client],
    )
    return rowCount === 1
  }

  async of(userId: string): Promise<{ readonly expiresAt: Date; readonly joined: JoinedRow | undefined } | undefined> {
    const {
      rows: [row],
    } = await query<{ expiresAt: Date; passkey: Record<string, unknown> | null; client: string | null }>(
      this.#pool,
      `select expires_at as "expiresAt", passkey, client from wallet.device_requests
       where user_id = $1 and expires_at > now()`,
      [userId],
    )
    if (row === undefined) return undefined
    const { passkey } = row
    if (passkey === null) return { expiresAt: row.expiresAt, joined: undefined }
    const stored = passkey as unknown as Omit<JoinedRow, 'publicKey' | 'publicKeySec1'> & Record<string, string>
    return {
      expiresAt: row.expiresAt,
      joined: {
        ...stored,
        publicKey: Buffer.from(stored['publicKey'] ?? '', 'hex'),
        publicKeySec1: Buffer.from(stored['publicKeySec1'] ?? '', 'hex'),
        client: row.client ?? '',
      },
    }
  }

  async end(userId: string, db: pg.Pool | pg.ClientBase = this.#pool): Promise<boolean> {
    const { rowCount } = await query(db, 'delete from wallet.device_requests where user_id = $1', [userId])
    return rowCount === 1
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from wallet.device_requests where expires_at <= now()')
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Both devices show it; the user compares. */
export function checkDigits(publicKeySec1: Buffer): string {
  return String(digestOf(publicKeySec1.toString('hex')).readUInt32BE() % 1_000_000).padStart(6, '0')
}

export async function startDevice({ signedIn: { user }, parts }: SessionCall): Promise<unknown> {
  const { passkeys, relyingParty, devices } = parts
  const own = await passkeys.descriptors(user.id, relyingParty.id)
  if (own.length === 0) throw functionError('CREDENTIAL_NOT_FOUND', 'Create your first passkey on this device.')
  requirePasskeyQuota(own.length)
  return devices.start(user.id)
}

export async function deviceStatus({ signedIn: { user }, parts: { devices } }: SessionCall): Promise<unknown> {
  const found = await devices.of(user.id)
  if (found === undefined) return { state: 'none' }
  const { expiresAt, joined } = found
  if (joined === undefined) return { state: 'waiting', expiresAt }
  const { credentialId: id, name, client, publicKeySec1 } = joined
  return { state: 'joined', expiresAt, credentialId: id, name, from: client, check: checkDigits(publicKeySec1) }
}

export async function cancelDevice({ signedIn: { user }, parts: { devices } }: SessionCall): Promise<unknown> {
  return { cancelled: await devices.end(user.id) }
}

/** Needs no session: the code names the user. */
export async function joinDevice({ data, caller, attempt, parts }: OpenCall): Promise<unknown> {
  const { rates, devices, challenges, relyingParty, audit, sessions } = parts
  await rates.take(attempt.action, attempt.subject, attempt.limit)
  attempt.isCounted = true
  const given = readData(joinInput, data)
  const userId = await requireUser(given.code, devices)
  const user = await sessions.findUser(userId)
  if (user === undefined) throw unknownCode()
  // Without an action: `/register/finish` does not take it as confirmed.
  const challenge = await challenges.create({ kind: 'registration', userId, actionHash: undefined }, relyingParty.id)
  await audit.note(caller, { event: 'registration_started', isDone: true, userId, reason: 'another device' })
  return { options: await registrationOptions(user, challenge.bytes, parts), challengeId: challenge.id }
}

export async function finishDevice({ data, caller, attempt, parts }: OpenCall): Promise<unknown> {
  const { rates, devices, relyingParty } = parts
  await rates.take(attempt.action, attempt.subject, attempt.limit)
  attempt.isCounted = true
  const given = readData(finishInput, data)
  const userId = await requireUser(given.code, devices)
  const challenge = await consumeChallenge({ id: given.challengeId, kind: 'registration', userId }, caller, parts)
  const made = await verifyRegistration(given.response, { relyingParty, challengeHash: challenge.hash }).catch(
    (error: unknown) => {
      throw error instanceof VerificationFailure ? verificationFailed(error, 422) : error
    },
  )
  const name = given.name ?? registrationName(made.aaguid)
  if (!(await devices.join(given.code, { ...made, name, client: clientNetwork(caller.address) }))) throw unknownCode()
  return { check: checkDigits(made.publicKeySec1), minutes: challengeMs / 60_000 }
}

/** Confirmed by an assertion for this very passkey. */
export async function acceptDevice(call: SessionCall): Promise<unknown> {
  const {
    data,
    signedIn: { user },
    caller,
    parts,
  } = call
  const { devices, passkeys, relyingParty, audit, sessions } = parts
  const given = readData(acceptInput, data)
  const found = await devices.of(user.id)
  if (found?.joined?.credentialId !== given.credentialId)
    throw functionError('CREDENTIAL_NOT_FOUND', 'No device proposes this passkey now. Start again.')
  const { joined } = found
  const change = { action: 'accept-device', credentialId: given.credentialId } as const
  if (!(await requireConfirmed({ userId: user.id, change, given: given.confirmation, caller, parts })))
    throw confirmationMissing()
  const passkey = await passkeys.add(user.id, relyingParty.id, { ...joined, isConfirmed: true }, async (client) => {
    if (!(await sessions.lockUser(client, user.id))) throw functionError('UNAUTHORIZED', 'The account was deleted.')
    await devices.end(user.id, client)
    await audit.note(
      caller,
      {
        event: 'registration_completed',
        isDone: true,
        userId: user.id,
        credentialId: given.credentialId,
        reason: 'another device',
      },
      client,
    )
    await parts.notifyOwner(client, user.email, 'added', caller)
  })
  parts.deliverMails()
  return { passkey }
}

async function requireUser(given: string, devices: PasskeyParts['devices']): Promise<string> {
  const userId = await devices.userOf(given)
  if (userId === undefined) throw unknownCode()
  return userId
}

function unknownCode(): Error {
  return functionError('CHALLENGE_MISMATCH', 'The code is wrong, expired or used. Get a new one on your first device.')
}
