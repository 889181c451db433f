import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { readRelyingParty } from '../../../src/wallet/passkeys/relying-party.ts'
import { verifyAssertion } from '../../../src/wallet/passkeys/webauthn.ts'
import { quantile } from '../farm/quantile.ts'
import { assertionOf, preparePasskeys } from './prepared-passkeys.ts'
import { walletOrigin } from './wallet-program.ts'

export interface VerificationResult {
  readonly medianMs: number
  readonly p99Ms: number
  /** Processor time of one, all threads. */
  readonly cpuMs: number
  /** Of nothing but the signature, by `node:crypto`, from the key in SPKI. */
  readonly bareMs: number
}

const warmUp = 200

/** The check of what a passkey signed, one after the other, each of another passkey. */
export async function measureVerification(count: number): Promise<VerificationResult> {
  const passkeys = preparePasskeys(Math.min(count, 500))
  const relyingParty = readRelyingParty({ url: walletOrigin, rpId: undefined, rpName: 'bench', origins: [] })
  const given = Array.from({ length: count + warmUp }, (_, at) => {
    const passkey = passkeys[at % passkeys.length]
    if (passkey === undefined) throw new Error('there is no passkey')
    const challenge = randomBytes(32).toString('base64url')
    return {
      passkey,
      response: assertionOf(passkey, challenge),
      challengeHash: createHash('sha256').update(challenge).digest(),
    }
  })
  const check = ({ passkey, response, challengeHash }: (typeof given)[number]): Promise<unknown> =>
    verifyAssertion(response, passkey, { relyingParty, challengeHash, needsUserHandle: true })
  for (const one of given.slice(0, warmUp)) await check(one)
  const times: number[] = []
  const cpu = process.cpuUsage()
  for (const one of given.slice(warmUp)) {
    const begun = performance.now()
    await check(one)
    times.push(performance.now() - begun)
  }
  const used = process.cpuUsage(cpu)
  return {
    medianMs: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuMs: (used.user + used.system) / 1000 / count,
    bareMs: quantile(bareTimes(given.slice(warmUp)), 0.5),
  }
}

/** Of `SubjectPublicKeyInfo` of P-256, before the point. */
const spkiHead = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')

function bareTimes(
  given: readonly {
    readonly passkey: { readonly publicKeySec1: Buffer }
    readonly response: {
      readonly response: {
        readonly authenticatorData: string
        readonly clientDataJSON: string
        readonly signature: string
      }
    }
  }[],
): number[] {
  return given.map(({ passkey, response: { response } }) => {
    const clientData = createHash('sha256').update(Buffer.from(response.clientDataJSON, 'base64url')).digest()
    const signed = Buffer.concat([Buffer.from(response.authenticatorData, 'base64url'), clientData])
    const signature = Buffer.from(response.signature, 'base64url')
    const begun = performance.now()
    const key = createPublicKey({ key: Buffer.concat([spkiHead, passkey.publicKeySec1]), format: 'der', type: 'spki' })
    if (!verify('sha256', signed, key, signature)) throw new Error('a good signature was refused')
    return performance.now() - begun
  })
}
