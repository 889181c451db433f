import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { Admission, CredentialKind, CredentialOptions } from '../../auth/credentials.ts'

const sessionMs = 12 * 3600 * 1000

/**
 * Sessions of people who logged in: `kind.end.random.signature`. Nothing is kept here, so a session holds in all processes
 * and over restarts. The key of the signature is made of the secret that let the person in, so that all sessions end when
 * that secret is changed, and those of JWTs when other roles are allowed. It is made slowly, so that who steals a session
 * cannot guess a weak secret from it.
 */
export class Sessions {
  readonly #keys: ReadonlyMap<CredentialKind, Buffer>

  constructor({ token, jwtSecret, allowedRoles }: CredentialOptions) {
    const secrets: readonly (readonly [CredentialKind, string | undefined, string])[] = [
      ['token', token, 'token'],
      ['jwt', jwtSecret, `jwt of ${allowedRoles.join()}`],
    ]
    this.#keys = new Map(
      secrets.flatMap(([kind, secret, use]) =>
        secret === undefined ? [] : [[kind, scryptSync(secret, `flowfarm operator session: ${use}`, 32)] as const],
      ),
    )
  }

  /** A new session; it ends with what was shown, and after twelve hours at the latest. */
  begin({ kind, until = Infinity }: Admission, now = Date.now()): { readonly session: string; readonly until: number } {
    const end = Math.min(until, now + sessionMs)
    const text = `${kind}.${Math.floor(end)}.${randomBytes(12).toString('base64url')}`
    return { session: `${text}.${this.#sign(kind, text).toString('base64url')}`, until: end }
  }

  /** Who is behind a session; undefined where it is not ours, or has ended. */
  find(session: string, now = Date.now()): Admission | undefined {
    const [kind = '', end = '', random = '', signature = '', ...more] = session.split('.')
    if ((kind !== 'token' && kind !== 'jwt') || !this.#keys.has(kind)) return undefined
    if (!/^\d{1,15}$/.test(end) || more.length > 0) return undefined
    const expected = this.#sign(kind, `${kind}.${end}.${random}`)
    const given = Buffer.from(signature, 'base64url')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    return Number(end) > now ? { kind, until: Number(end) } : undefined
  }

  #sign(kind: CredentialKind, text: string): Buffer {
    const key = this.#keys.get(kind)
    if (key === undefined) throw new Error(`there is no secret for sessions of kind ${kind}`)
    return createHmac('sha256', key).update(text).digest()
  }
}
