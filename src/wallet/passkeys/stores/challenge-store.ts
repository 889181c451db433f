import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { query } from '../../../db/pool.ts'
import { digestOfChallenge } from '../ceremonies/client-data.ts'
import { functionError } from '../function-error.ts'

/** How long a challenge is good, ms. Browsers are told to wait as long. */
export const challengeMs = 5 * 60_000

/** For what, and by whom, a challenge may be answered. */
export type ChallengePurpose =
  | { readonly kind: 'registration' | 'confirmation'; readonly userId: string }
  /** @property email whose account is meant; undefined: whichever account the passkey is of */
  | { readonly kind: 'sign-in'; readonly email: string | undefined }

export interface NewChallenge {
  readonly id: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface TakenChallenge {
  readonly hash: Buffer
  readonly emailHash: Buffer | null
}

/** Challenges that wait to be answered, each once: it is deleted by the statement that reads it. */
export class ChallengeStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async create(purpose: ChallengePurpose, rpId: string): Promise<NewChallenge> {
    const bytes = new Uint8Array(randomBytes(32))
    const { rows: [row] } = await query<{ id: string }>(
      this.#pool,
      `insert into wallet.challenges (challenge_hash, kind, user_id, email_hash, rp_id, expires_at) values ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms') returning id`,
      [
        digestOfChallenge(Buffer.from(bytes).toString('base64url')), purpose.kind, purpose.kind === 'sign-in' ? null : purpose.userId,
        purpose.kind === 'sign-in' && purpose.email !== undefined ? digestOfEmail(purpose.email) : null, rpId, challengeMs,
      ],
    )
    if (row === undefined) throw new Error('an insert gave no row back')
    return { id: row.id, bytes }
  }

  /**
   * Takes a challenge; of several who ask for it at once one gets it. What is of another kind, user or relying party stays for whoever may.
   * @throws ApiError 400 `CHALLENGE_MISMATCH`, 410 `CHALLENGE_EXPIRED`
   */
  async take(id: string, { kind, userId, rpId }: { readonly kind: ChallengePurpose['kind']; readonly userId?: string | undefined; readonly rpId: string }): Promise<TakenChallenge> {
    const { rows: [row] } = await query<TakenChallenge & { readonly isExpired: boolean }>(
      this.#pool,
      `delete from wallet.challenges where id = $1 and kind = $2 and user_id is not distinct from $3 and rp_id = $4
       returning challenge_hash as hash, email_hash as "emailHash", expires_at <= now() as "isExpired"`,
      [id, kind, userId ?? null, rpId],
    )
    if (row === undefined) throw functionError('CHALLENGE_MISMATCH', 'There is no such challenge (any more): begin anew.')
    if (row.isExpired) throw functionError('CHALLENGE_EXPIRED', 'That took longer than five minutes: begin anew.')
    return row
  }

  async prune(): Promise<void> {
    // Those that are answered too late are told so for a while.
    await query(this.#pool, "delete from wallet.challenges where expires_at < now() - interval '1 hour'")
  }
}

/** Addresses that differ by upper and lower case are one. */
export function digestOfEmail(email: string): Buffer {
  return createHash('sha256').update(email.trim().toLowerCase()).digest()
}
