import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { checkCredential } from '../platform/auth/credentials.ts'
import type { Admission, CredentialOptions, CredentialKind } from '../platform/auth/credentials.ts'
import { FailureLimit } from '../platform/limits/sliding-window.ts'
import { plainAddress } from '../platform/limits/clients.ts'
import { ApiError } from '../platform/errors.ts'

export const sessionCookie = 'flowfarm_operator'

const local = { kind: 'local', until: undefined } as const

export type Access = Admission | typeof local

/** Without credentials, only requests from this machine to a loopback name are authorized. */
export class OperatorAccess {
  readonly mode: 'open' | 'token'
  readonly #credentials: CredentialOptions
  readonly #sessions: Sessions
  readonly #limit = new FailureLimit()
  readonly #addressOf: (request: IncomingMessage) => string

  /** @param addressOf key of the failed attempt counts */
  constructor(credentials: CredentialOptions, addressOf: (request: IncomingMessage) => string) {
    this.mode = credentials.token === undefined && credentials.jwtSecret === undefined ? 'open' : 'token'
    this.#credentials = credentials
    this.#sessions = new Sessions(credentials)
    this.#addressOf = addressOf
  }

  /**
   * @throws ApiError 401 `not-logged-in` and those of `logIn`; 403 `only-local` without credentials
   */
  async require(request: IncomingMessage, session: string | undefined): Promise<Access> {
    this.requireLocalIfOpen(request)
    if (this.mode === 'open') return local
    const found = session === undefined ? undefined : this.#sessions.find(session)
    if (found !== undefined) return found
    const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim()
    if (bearer !== undefined) return this.#check(request, bearer)
    throw new ApiError(
      401,
      'not-logged-in',
      'Authentication required. Log in at /operator, or send ADMIN_TOKEN or the JWT of an administrator as ' +
        '`Authorization: Bearer`.',
    )
  }

  /** @throws ApiError 403 `only-local` */
  requireLocalIfOpen(request: IncomingMessage): void {
    if (this.mode === 'token' || isLocalRequest(request)) return
    throw new ApiError(
      403,
      'only-local',
      'The operator API accepts only requests from its own machine to localhost, because ADMIN_TOKEN is not set. ' +
        'Set ADMIN_TOKEN or ADMIN_JWT_SECRET, restart, and log in.',
    )
  }

  async isAllowed(request: IncomingMessage, session: string | undefined): Promise<boolean> {
    try {
      await this.require(request, session)
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  /**
   * @throws ApiError 401 `bad-credentials` or `expired-credentials`, 403 `role-not-allowed`, 429
   * `too-many-attempts`
   */
  async logIn(
    request: IncomingMessage,
    credential: string,
  ): Promise<{ readonly session: string; readonly until: number }> {
    return this.#sessions.begin(await this.#check(request, credential))
  }

  async #check(request: IncomingMessage, credential: string): Promise<Admission> {
    const address = this.#addressOf(request)
    this.#limit.require(address)
    try {
      return await checkCredential(credential, this.#credentials)
    } catch (error) {
      this.#limit.failed(address)
      throw error
    }
  }
}

const proxyHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const

/** Some proxies (HTTP/1.0) are undetectable. The name is checked because of DNS rebinding. */
function isLocalRequest(request: IncomingMessage): boolean {
  if (!isLoopbackAddress(request.socket.remoteAddress ?? '')) return false
  if (request.httpVersion === '1.0' || proxyHeaders.some((name) => request.headers[name] !== undefined)) return false
  return isLoopbackName(hostName(request.headers.host ?? ''))
}

function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address)
  return isIPv4(plain) ? plain.startsWith('127.') : plain === '::1'
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}

const sessionMs = 12 * 3600 * 1000

/**
 * Stateless: `kind.end.random.signature`. The signing key derives from the login secret, so
 * changing that secret (or the allowed JWT roles) ends its sessions. scrypt keeps a stolen session
 * from revealing a weak secret.
 */
class Sessions {
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

  /** A session ends with its credential, after 12 hours at most. */
  begin({ kind, until = Infinity }: Admission, now = Date.now()): { readonly session: string; readonly until: number } {
    const end = Math.min(until, now + sessionMs)
    const text = `${kind}.${Math.floor(end)}.${randomBytes(12).toString('base64url')}`
    return { session: `${text}.${this.#sign(kind, text).toString('base64url')}`, until: end }
  }

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
    if (key === undefined) throw new Error(`no secret for sessions of kind ${kind}`)
    return createHmac('sha256', key).update(text).digest()
  }
}
