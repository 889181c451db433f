import type { StatementRunner } from '../../../platform/db/named-query.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { RateLimit, RateLimits, Attempt } from './rate-limits.ts'
import { authError } from '../auth-parts.ts'
import type { AuthClient } from './sessions.ts'

const minute = 60_000
const hour = 60 * minute

/** GoTrue's values where it has one. */
export const authLimits = {
  otp: { max: 30, periodMs: 5 * minute },
  verify: { max: 30, periodMs: 5 * minute },
  token: { max: 150, periodMs: 5 * minute },
  authorize: { max: 30, periodMs: 5 * minute },
  session: { max: 600, periodMs: 5 * minute },
  admin: { max: 600, periodMs: 5 * minute },
  mail: { max: 30, periodMs: hour },
  /** Per mailbox (`mailboxOf`), with or without a user. */
  mailAgain: { max: 1, periodMs: minute },
  mailTo: { max: 10, periodMs: hour },
  /** Keeps one client from using up the limit of a mailbox. */
  mailToBy: { max: 5, periodMs: hour },
  /** Attempts while a code is valid: by one client, and by all. */
  codeBy: { max: 30, periodMs: 24 * hour },
  codeOf: { max: 300, periodMs: 24 * hour },
  changeBy: { max: 60, periodMs: 5 * minute },
} as const satisfies Record<string, RateLimit>

export type AuthLimits = Readonly<Record<keyof typeof authLimits, RateLimit>>

export class AttemptLimits {
  readonly #counts: RateLimits
  readonly #limits: AuthLimits

  constructor(counts: RateLimits, limits: AuthLimits = authLimits) {
    this.#counts = counts
    this.#limits = limits
  }

  /**
   * @param db the count is part of this transaction @throws ApiError 429 `over_request_rate_limit`
   * or `over_email_send_rate_limit`
   */
  async take(action: keyof AuthLimits, subject: string, db?: StatementRunner): Promise<void> {
    await this.#inWords(action, () => this.#counts.take(`auth ${action}`, subject, this.#limits[action], db))
  }

  attempt(action: keyof AuthLimits, subject: string): Attempt {
    return { action: `auth ${action}`, subject, limit: this.#limits[action] }
  }

  /** @throws ApiError 429 */
  async refuse(action: keyof AuthLimits, subject: string): Promise<void> {
    await this.#inWords(action, () => this.#counts.refuse(this.attempt(action, subject)))
  }

  async #inWords(action: keyof AuthLimits, count: () => Promise<void>): Promise<void> {
    try {
      await count()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error
      throw authError(
        429,
        action.startsWith('mail') ? 'over_email_send_rate_limit' : 'over_request_rate_limit',
        error.message,
        error.details,
      )
    }
  }
}

/**
 * The client first: a limited one uses up nothing of the mailbox. @throws ApiError 429
 * `over_email_send_rate_limit`
 */
export async function countMail(
  limits: AttemptLimits,
  mailbox: string,
  { network }: Pick<AuthClient, 'network'>,
): Promise<void> {
  await limits.take('mail', network)
  await limits.take('mailToBy', `${mailbox} ${network}`)
  await limits.take('mailAgain', mailbox)
  await limits.take('mailTo', mailbox)
}
