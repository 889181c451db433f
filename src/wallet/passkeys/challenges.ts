import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../../platform/db/named-query.ts'
import { query } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { functionError } from './endpoint.ts'
import type { PasskeyParts } from './endpoint.ts'
import type { Caller } from './passkey-audit.ts'
import { digestOfChallenge } from './webauthn.ts'

/** Also the timeout for browsers, ms. */
export const challengeMs = 5 * 60_000

type ChallengePurpose =
  /** @property actionHash of the confirmed change; undefined for a first passkey */
  | { readonly kind: 'registration'; readonly userId: string; readonly actionHash: Buffer | undefined }
  | { readonly kind: 'confirmation'; readonly userId: string; readonly actionHash: Buffer }
  /** @property email undefined: every account */
  | { readonly kind: 'sign-in'; readonly email: string | undefined }

export interface NewChallenge {
  readonly id: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface ConsumedChallenge {
  readonly hash: Buffer
  readonly emailHash: Buffer | null
  readonly actionHash: Buffer | null
}

interface ChallengeToFind {
  readonly kind: ChallengePurpose['kind']
  readonly userId?: string | undefined
  readonly rpId: string
  readonly actionHash?: Buffer | undefined
}

export interface FoundChallenge extends ConsumedChallenge {
  readonly isExpired: boolean
}

export function newChallengeBytes(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(32))
}

export function insertChallenge(first: number, from = ''): string {
  const types = ['bytea', 'text', 'uuid', 'bytea', 'text', 'bytea']
  return `insert into wallet.challenges (challenge_hash, kind, user_id, email_hash, rp_id, action_hash, expires_at)
    select ${types.map((type, at) => `$${first + at}::${type}`).join(', ')},
      now() + $${first + 6} * interval '1 ms' ${from} returning id`
}

export function challengeValues(bytes: Uint8Array, purpose: ChallengePurpose, rpId: string): readonly unknown[] {
  return [
    digestOfChallenge(Buffer.from(bytes).toString('base64url')),
    purpose.kind,
    purpose.kind === 'sign-in' ? null : purpose.userId,
    purpose.kind === 'sign-in' && purpose.email !== undefined ? digestOfEmail(purpose.email) : null,
    rpId,
    purpose.kind === 'sign-in' ? null : (purpose.actionHash ?? null),
    challengeMs,
  ]
}

/** @throws ApiError 400 `CHALLENGE_MISMATCH`, 410 `CHALLENGE_EXPIRED` */
export function requireChallenge(found: FoundChallenge | undefined): ConsumedChallenge {
  if (found === undefined)
    throw functionError('CHALLENGE_MISMATCH', 'The challenge is unknown or was used. Start again.')
  if (found.isExpired)
    throw functionError('CHALLENGE_EXPIRED', 'The challenge has expired (limit 5 minutes). Start again.')
  return found
}

const insertOne = insertChallenge(1)

/** Reading deletes a challenge. */
export class ChallengeStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async create(purpose: ChallengePurpose, rpId: string): Promise<NewChallenge> {
    const bytes = newChallengeBytes()
    const {
      rows: [row],
    } = await namedQuery<{ id: string }>(this.#pool, insertOne, [...challengeValues(bytes, purpose, rpId)])
    if (row === undefined) throw new Error('insert returned no row')
    return { id: row.id, bytes }
  }

  /**
   * Other challenges stay. @param actionHash undefined: not checked. @throws ApiError 400
   * `CHALLENGE_MISMATCH`, 410 `CHALLENGE_EXPIRED`
   */
  async take(id: string, { kind, userId, rpId, actionHash }: ChallengeToFind): Promise<ConsumedChallenge> {
    const {
      rows: [row],
    } = await query<FoundChallenge>(
      this.#pool,
      `delete from wallet.challenges where id = $1 and kind = $2 and user_id is not distinct
        from $3 and rp_id = $4 and ($5::bytea is null or action_hash = $5)
       returning challenge_hash as hash, email_hash as "emailHash", action_hash as "actionHash",
         expires_at <= now() as "isExpired"`,
      [id, kind, userId ?? null, rpId, actionHash ?? null],
    )
    return requireChallenge(row)
  }

  async prune(): Promise<void> {
    // Late answers are reported as expired.
    await query(this.#pool, "delete from wallet.challenges where expires_at < now() - interval '1 hour'")
  }
}

export function digestOfEmail(email: string): Buffer {
  return createHash('sha256').update(email.trim().toLowerCase()).digest()
}

interface ChallengeToTake {
  readonly id: string
  readonly kind: ChallengePurpose['kind']
  readonly userId?: string | undefined
  readonly actionHash?: Buffer | undefined
}

/** Logs failures. @throws ApiError 400 `CHALLENGE_MISMATCH`, 410 `CHALLENGE_EXPIRED` */
export async function consumeChallenge(
  { id, kind, userId, actionHash }: ChallengeToTake,
  caller: Caller,
  parts: Pick<PasskeyParts, 'audit' | 'challenges' | 'relyingParty'>,
): Promise<ConsumedChallenge> {
  return auditedChallenge({ kind, userId }, caller, parts, () =>
    parts.challenges.take(id, { kind, userId, actionHash, rpId: parts.relyingParty.id }),
  )
}

export async function auditedChallenge(
  { kind, userId }: Pick<ChallengeToTake, 'kind' | 'userId'>,
  caller: Caller,
  { audit }: Pick<PasskeyParts, 'audit'>,
  take: () => ConsumedChallenge | Promise<ConsumedChallenge>,
): Promise<ConsumedChallenge> {
  try {
    return await take()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const failed = kind === 'registration' ? ('registration_failed' as const) : ('authentication_failed' as const)
    const event = error.code === 'CHALLENGE_EXPIRED' ? ('challenge_expired' as const) : failed
    await audit.note(caller, { event, isDone: false, userId, reason: event === failed ? 'challenge' : kind })
    throw error
  }
}
