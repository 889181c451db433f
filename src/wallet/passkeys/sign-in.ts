import { z } from 'zod'
import { namedQuery } from '../../platform/db/named-query.ts'
import type { StatementRunner } from '../../platform/db/named-query.ts'
import { countAttempt, attemptValues } from '../auth/stores/rate-limits.ts'
import type { RateLimits, Attempt } from '../auth/stores/rate-limits.ts'
import { checkAssertion, unknownPasskey, assertionResponse, VerificationFailure, webAuthn } from './webauthn.ts'
import type { VerifiedAssertion } from './webauthn.ts'
import {
  challengeMs,
  digestOfEmail,
  requireChallenge,
  auditedChallenge,
  challengeValues,
  insertChallenge,
  newChallengeBytes,
} from './challenges.ts'
import type { NewChallenge, ConsumedChallenge, FoundChallenge } from './challenges.ts'
import { functionError, readData, requireOwnRpId, rpId } from './endpoint.ts'
import type { ClientAttempt, OpenCall, PasskeyParts } from './endpoint.ts'
import { noteValues, insertNote } from './passkey-audit.ts'
import type { Caller } from './passkey-audit.ts'
import { selectSigner } from './passkey-store.ts'
import type { OwnedPasskey } from './passkey-store.ts'

const startInput = z.object({ rpId, email: z.string().trim().min(1).max(320).optional() })

const finishInput = z.object({ rpId, challengeId: z.uuid(), response: assertionResponse })

/**
 * The same for every caller, so that the options do not reveal accounts: all passkeys are
 * discoverable.
 */
export async function startSignIn({ data, caller, attempt, parts }: OpenCall): Promise<unknown> {
  const { relyingParty } = parts
  const given = readData(startInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  attempt.isCounted = true
  const challenge =
    given.email === undefined
      ? await beginOfAnybody(attempt, caller, parts)
      : await beginOf(given.email, attempt, caller, parts)
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
  attempt: ClientAttempt,
  caller: Caller,
  { signIns, relyingParty, audit }: PasskeyParts,
): Promise<NewChallenge> {
  const challenge = await signIns.begin(attempt, caller, relyingParty.id)
  audit.noted({ event: 'authentication_started', isDone: true })
  return challenge
}

/** Not limited per e-mail address, so that no client can lock the owner out. */
async function beginOf(
  email: string,
  attempt: ClientAttempt,
  caller: Caller,
  { rates, challenges, relyingParty, audit }: PasskeyParts,
): Promise<NewChallenge> {
  await rates.take(attempt.action, attempt.subject, attempt.limit)
  const challenge = await challenges.create({ kind: 'sign-in', email }, relyingParty.id)
  await audit.note(caller, { event: 'authentication_started', isDone: true })
  return challenge
}

/** Returns a token for the auth server. */
export async function finishSignIn({ data, caller, attempt, parts, signal }: OpenCall): Promise<unknown> {
  const { relyingParty, sessions, passkeys, signIns, limits, rates } = parts
  const given = readData(finishInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  attempt.isCounted = true
  const found = await signIns.end(attempt, {
    challengeId: given.challengeId,
    credentialId: given.response.id,
    rpId: relyingParty.id,
  })
  const challenge = await auditedChallenge({ kind: 'sign-in' }, caller, parts, () => requireChallenge(found.challenge))
  const { userId, credentialId } = await checkAssertion({
    response: given.response,
    challenge,
    caller,
    parts,
    userId: undefined,
    found: found.passkey,
    accept: async (passkey, verified) => {
      // After the signature check: otherwise anyone could use up the owner's sign-ins.
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
  // Its owner has a passkey, so nothing needs to be recovered.
  await parts.recovery.cancel(userId, credentialId)
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
 * Only if an account of its owner still has its key: it would be unusable otherwise. @returns false
 * if the counter did not increase. @throws ApiError 403 `PASSKEY_REMOVED`, 404
 * `CREDENTIAL_NOT_FOUND`, 409 `TOO_MANY_PASSKEYS`, 503
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
      'This passkey was removed and is not a key of your accounts. Sign in with another passkey or by e-mail.',
    )
  }
  const name = await passkeys.restore(passkey, verified, async (client) => {
    if (!(await sessions.lockUser(client, userId))) throw unknownPasskey()
    await audit.note(caller, { event: 'passkey_restored', isDone: true, userId, credentialId }, client)
    await parts.notifyOwner(client, user.email, 'restored', caller)
  })
  if (name === undefined) return false
  parts.deliverMails()
  return true
}

/** @throws VerificationFailure `other-account` */
async function requireMeant(
  { userId }: OwnedPasskey,
  { emailHash }: ConsumedChallenge,
  { sessions }: PasskeyParts,
): Promise<void> {
  if (emailHash === null) return
  const email = (await sessions.findUser(userId))?.email
  if (email === undefined || !digestOfEmail(email).equals(emailHash)) throw new VerificationFailure('other-account')
}

interface FoundSignIn {
  readonly challenge: FoundChallenge | undefined
  readonly passkey: OwnedPasskey | undefined
}

interface SignInAnswer {
  readonly challengeId: string
  readonly credentialId: string
  readonly rpId: string
}

const beginning = `with l as (${countAttempt(1)}), c as (${insertChallenge(5, 'from l')}),
  n as (${insertNote(12, 'from l')}) select id from c`

const ending = `with l as (${countAttempt(1)}),
  c as (
    delete from wallet.challenges as c using l where c.id = $5 and c.kind = 'sign-in' and c.user_id is null
      and c.rp_id = $6
    returning c.challenge_hash as hash, c.email_hash as "emailHash", c.action_hash as "actionHash",
      c.expires_at <= now() as "isExpired"
  ),
  p as (${selectSigner('$7', '$6')})
  select exists (select from l) as "isCounted", c.*, p.*
  from (values (1)) as one left join c on true left join p on true`

type EndRow = FoundChallenge & OwnedPasskey & { readonly isCounted: boolean }

/** One statement each, because round trips dominate the time. */
export class SignInStore {
  readonly #statements: StatementRunner
  readonly #rates: RateLimits

  constructor(statements: StatementRunner, rates: RateLimits) {
    this.#statements = statements
    this.#rates = rates
  }

  /** @throws ApiError 429 `RATE_LIMITED` */
  async begin(attempt: Attempt, caller: Caller, rpId: string): Promise<NewChallenge> {
    const bytes = newChallengeBytes()
    const {
      rows: [row],
    } = await namedQuery<{ id: string }>(this.#statements, beginning, [
      ...attemptValues(attempt),
      ...challengeValues(bytes, { kind: 'sign-in', email: undefined }, rpId),
      ...noteValues(caller, { event: 'authentication_started', isDone: true }),
    ])
    return row === undefined ? this.#rates.refuse(attempt) : { id: row.id, bytes }
  }

  /** @throws ApiError 429 `RATE_LIMITED` */
  async end(attempt: Attempt, { challengeId, credentialId, rpId }: SignInAnswer): Promise<FoundSignIn> {
    const {
      rows: [row],
    } = await namedQuery<EndRow>(this.#statements, ending, [...attemptValues(attempt), challengeId, rpId, credentialId])
    if (row?.isCounted !== true) return this.#rates.refuse(attempt)
    const challenge =
      (row.hash as Buffer | null) === null
        ? undefined
        : {
            hash: row.hash,
            emailHash: row.emailHash,
            actionHash: null,
            isExpired: row.isExpired,
          }
    const passkey = (row.userId as string | null) === null ? undefined : ownedPasskey(row)
    return { challenge, passkey }
  }
}

function ownedPasskey({
  credentialId,
  userId,
  publicKey,
  deviceType,
  userHandle,
  publicKeySec1Hex,
  isRemoved,
}: EndRow): OwnedPasskey {
  return { credentialId, userId, publicKey, deviceType, userHandle, publicKeySec1Hex, isRemoved }
}
