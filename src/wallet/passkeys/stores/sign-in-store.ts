import { namedQuery } from '../../../db/named-query.ts'
import type { StatementRunner } from '../../../db/named-query.ts'
import { countTurn, turnValues } from '../../limits/rate-limits.ts'
import type { RateLimits, Turn } from '../../limits/rate-limits.ts'
import type { Caller } from './caller.ts'
import { challengeValues, insertChallenge, newChallengeBytes } from './challenge-store.ts'
import type { FoundChallenge, NewChallenge } from './challenge-store.ts'
import { insertNote, noteValues } from './passkey-audit.ts'
import { selectSigner } from './passkey-store.ts'
import type { OwnedPasskey } from './passkey-store.ts'

/** What there is of an answer to a challenge. */
export interface FoundSignIn {
  readonly challenge: FoundChallenge | undefined
  readonly passkey: OwnedPasskey | undefined
}

export interface SignInAnswer {
  readonly challengeId: string
  readonly credentialId: string
  readonly rpId: string
}

/** Of a sign-in that begins: counted, its challenge kept, and written down. */
const beginning = `with l as (${countTurn(1)}), c as (${insertChallenge(5, 'from l')}), n as (${insertNote(12, 'from l')}) select id from c`

/**
 * The end of a sign-in: counts the client, takes the challenge and finds the passkey. The account is counted once the
 * signature is verified (`PasskeyStore.signedIn`): before that, anybody could use up the sign-ins of its owner.
 */
const ending = `with l as (${countTurn(1)}),
  c as (
    delete from wallet.challenges as c using l where c.id = $5 and c.kind = 'sign-in' and c.user_id is null and c.rp_id = $6
    returning c.challenge_hash as hash, c.email_hash as "emailHash", c.action_hash as "actionHash", c.expires_at <= now() as "isExpired"
  ),
  p as (${selectSigner('$7', '$6')})
  select exists (select from l) as "isCounted", c.*, p.*
  from (values (1)) as one left join c on true left join p on true`

type EndRow = FoundChallenge & OwnedPasskey & { readonly isCounted: boolean }

/** The two ends of a sign-in, each in one statement: what it takes is for the most part the way to the server and back. */
export class SignInStore {
  readonly #statements: StatementRunner
  readonly #rates: RateLimits

  constructor(statements: StatementRunner, rates: RateLimits) {
    this.#statements = statements
    this.#rates = rates
  }

  /** Makes a challenge for whoever asks. @throws ApiError 429 `RATE_LIMITED` */
  async begin(turn: Turn, caller: Caller, rpId: string): Promise<NewChallenge> {
    const bytes = newChallengeBytes()
    const {
      rows: [row],
    } = await namedQuery<{ id: string }>(this.#statements, beginning, [
      ...turnValues(turn),
      ...challengeValues(bytes, { kind: 'sign-in', email: undefined }, rpId),
      ...noteValues(caller, { event: 'authentication_started', isDone: true }),
    ])
    return row === undefined ? this.#rates.refuse(turn) : { id: row.id, bytes }
  }

  /**
   * Takes the challenge of an answer, and finds the passkey.
   * @param turn of the client
   * @throws ApiError 429 `RATE_LIMITED`
   */
  async end(turn: Turn, { challengeId, credentialId, rpId }: SignInAnswer): Promise<FoundSignIn> {
    const {
      rows: [row],
    } = await namedQuery<EndRow>(this.#statements, ending, [...turnValues(turn), challengeId, rpId, credentialId])
    if (row?.isCounted !== true) return this.#rates.refuse(turn)
    // Of what is not there PostgreSQL gives nulls.
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
