import { z } from 'zod'
import { assertionResponse } from '../ceremonies/responses.ts'
import { VerificationFailure } from '../ceremonies/verification-failure.ts'
import { webAuthn } from '../ceremonies/webauthn-library.ts'
import { functionError } from '../function-error.ts'
import type { Caller } from '../stores/caller.ts'
import { challengeMs, digestOfEmail, goodChallenge } from '../stores/challenge-store.ts'
import type { NewChallenge, TakenChallenge } from '../stores/challenge-store.ts'
import { noteValues } from '../stores/passkey-audit.ts'
import type { OwnedPasskey } from '../stores/passkey-store.ts'
import type { VerifiedAssertion } from '../ceremonies/verify-assertion.ts'
import { checkAssertion, unknownPasskey } from './check-assertion.ts'
import type { ClientTurn, OpenCall, PasskeyParts } from './endpoint.ts'
import { readData, requireOwnRpId, rpId } from './read-data.ts'
import { notedChallenge } from './take-challenge.ts'

const startInput = z.object({ rpId, email: z.string().trim().min(1).max(320).optional() })

const finishInput = z.object({ rpId, challengeId: z.uuid(), response: assertionResponse })

/**
 * `/login/start`: options for a sign-in. They are the same for everybody, with an e-mail address and without: authenticators find the passkeys
 * by themselves, since all here are discoverable. So nobody learns of whom there are accounts.
 */
export async function startSignIn({ data, caller, turn, parts }: OpenCall): Promise<unknown> {
  const { relyingParty } = parts
  const given = readData(startInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  turn.isCounted = true
  const challenge =
    given.email === undefined
      ? await beginOfAnybody(turn, caller, parts)
      : await beginOf(given.email, turn, caller, parts)
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: challenge.bytes,
    userVerification: 'required',
    timeout: challengeMs,
    allowCredentials: [],
  })
  return { options, challengeId: challenge.id }
}

async function beginOfAnybody(
  turn: ClientTurn,
  caller: Caller,
  { signIns, relyingParty, audit }: PasskeyParts,
): Promise<NewChallenge> {
  const challenge = await signIns.begin(turn, caller, relyingParty.id)
  audit.noted({ event: 'authentication_started', isDone: true })
  return challenge
}

/** The address has no limit of its own: anybody could use that up, and keep its owner out. */
async function beginOf(
  email: string,
  turn: ClientTurn,
  caller: Caller,
  { rates, challenges, relyingParty, audit }: PasskeyParts,
): Promise<NewChallenge> {
  await rates.take(turn.action, turn.subject, turn.limit)
  const challenge = await challenges.create({ kind: 'sign-in', email }, relyingParty.id)
  await audit.note(caller, { event: 'authentication_started', isDone: true })
  return challenge
}

/** `/login/finish`: gives what is traded at the auth server for a session. That the passkey has signed is noted before there is anything to trade. */
export async function finishSignIn({ data, caller, turn, parts, signal }: OpenCall): Promise<unknown> {
  const { relyingParty, sessions, passkeys, signIns, limits, rates } = parts
  const given = readData(finishInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  turn.isCounted = true
  const found = await signIns.end(turn, {
    challengeId: given.challengeId,
    credentialId: given.response.id,
    rpId: relyingParty.id,
  })
  const challenge = await notedChallenge({ kind: 'sign-in' }, caller, parts, () => goodChallenge(found.challenge))
  const { userId, credentialId } = await checkAssertion({
    response: given.response,
    challenge,
    caller,
    parts,
    userId: undefined,
    found: found.passkey,
    accept: async (passkey, verified) => {
      // Only now: before the signature was verified, anybody could use up the sign-ins of the owner.
      await rates.take('passkey login/finish of account', passkey.userId, limits.ceremony.account)
      await requireMeant(passkey, challenge, parts)
      if (passkey.isRemoved) return restoreRemoved(passkey, verified, { caller, parts, signal })
      const note = {
        event: 'authentication_completed',
        isDone: true,
        userId: passkey.userId,
        credentialId: passkey.credentialId,
      } as const
      const isGood = await passkeys.usedAndNoted(passkey.credentialId, verified, noteValues(caller, note))
      if (isGood) parts.audit.noted(note)
      return isGood
    },
  })
  const made = await sessions.createSessionToken(userId)
  if (made !== undefined) return { verified: true, tokenHash: made.tokenHash, email: made.email ?? null }
  await parts.audit.note(caller, {
    event: 'authentication_failed',
    isDone: false,
    userId,
    credentialId,
    reason: 'unknown user',
  })
  throw unknownPasskey()
}

/**
 * Brings a passkey back that was removed and signs in, where an account of its owner still has its key: without the
 * passkey nobody could use that account here. One whose keys were revoked on the chain, or that is no key of an
 * account, stays removed.
 * @returns false where its counter is not higher than before
 * @throws ApiError 403 `PASSKEY_REMOVED`, 404 `CREDENTIAL_NOT_FOUND`, 409 `TOO_MANY_PASSKEYS`, 503
 */
async function restoreRemoved(
  passkey: OwnedPasskey,
  verified: VerifiedAssertion,
  { caller, parts, signal }: Pick<OpenCall, 'caller' | 'parts' | 'signal'>,
): Promise<boolean> {
  const { sessions, keysOnChain, passkeys, audit } = parts
  const { userId, credentialId } = passkey
  const user = await sessions.findUser(userId)
  if (user === undefined) throw unknownPasskey()
  if (!(await keysOnChain.isKey(passkey, signal))) {
    await audit.note(caller, {
      event: 'authentication_failed',
      isDone: false,
      userId,
      credentialId,
      reason: 'removed passkey',
    })
    throw functionError(
      'PASSKEY_REMOVED',
      'This passkey was removed, and is no key of an account of yours. Sign in by another passkey or by e-mail.',
    )
  }
  const name = await passkeys.restore(passkey, verified, async (client) => {
    if (!(await sessions.holdUser(client, userId))) throw unknownPasskey()
    await audit.note(caller, { event: 'passkey_restored', isDone: true, userId, credentialId }, client)
    await parts.tellOwner(client, user.email, 'restored', caller)
  })
  if (name === undefined) return false
  parts.deliverMails()
  return true
}

/** That a passkey is of the user who was meant. @throws VerificationFailure `other-account` */
async function requireMeant(
  { userId }: OwnedPasskey,
  { emailHash }: TakenChallenge,
  { sessions }: PasskeyParts,
): Promise<void> {
  if (emailHash === null) return
  const email = (await sessions.findUser(userId))?.email
  if (email === undefined || !digestOfEmail(email).equals(emailHash)) throw new VerificationFailure('other-account')
}
