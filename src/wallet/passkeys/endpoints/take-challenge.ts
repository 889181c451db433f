import { ApiError } from '../../../base/errors.ts'
import type { Caller } from '../stores/caller.ts'
import type { ChallengePurpose, TakenChallenge } from '../stores/challenge-store.ts'
import type { PasskeyParts } from './endpoint.ts'

export interface ChallengeToTake {
  readonly id: string
  readonly kind: ChallengePurpose['kind']
  readonly userId?: string | undefined
  readonly actionHash?: Buffer | undefined
}

/** Takes a challenge, and writes down where there is none that is good. @throws ApiError 400 `CHALLENGE_MISMATCH`, 410 `CHALLENGE_EXPIRED` */
export async function takeChallenge(
  { id, kind, userId, actionHash }: ChallengeToTake,
  caller: Caller,
  parts: Pick<PasskeyParts, 'audit' | 'challenges' | 'relyingParty'>,
): Promise<TakenChallenge> {
  return notedChallenge({ kind, userId }, caller, parts, () =>
    parts.challenges.take(id, { kind, userId, actionHash, rpId: parts.relyingParty.id }),
  )
}

/** What `take` gives, and a line where it throws that there is no good challenge. */
export async function notedChallenge(
  { kind, userId }: Pick<ChallengeToTake, 'kind' | 'userId'>,
  caller: Caller,
  { audit }: Pick<PasskeyParts, 'audit'>,
  take: () => TakenChallenge | Promise<TakenChallenge>,
): Promise<TakenChallenge> {
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
