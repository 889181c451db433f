import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { checkCredential } from '../../platform/auth/credentials.ts'
import type { Admission, CredentialOptions, CredentialKind } from '../../platform/auth/credentials.ts'
import { FailureLimit } from '../../platform/limits/sliding-window.ts'
import { plainAddress } from '../../platform/limits/clients.ts'
import { ApiError } from '../../platform/errors.ts'

export const sessionCookie = 'flowfarm_operator'

/** Who is let in where neither a token nor a secret is set: whoever sits at this machine. */
const local = { kind: 'local', until: undefined } as const

export type Access = Admission | typeof local

/**
 * Decides who may operate.
 * - With ADMIN_TOKEN or a secret for JWTs: who shows one of them, as `Authorization: Bearer` or in a session.
 * - Without: requests from this machine to this machine, and nobody else.
 */
export class Guard {
  readonly access: 'open' | 'token'
  readonly #credentials: CredentialOptions
  readonly #sessions: Sessions
  readonly #limit = new FailureLimit()
  readonly #addressOf: (request: IncomingMessage) => string

  /** @param addressOf whose failures count together */
  constructor(credentials: CredentialOptions, addressOf: (request: IncomingMessage) => string) {
    this.access = credentials.token === undefined && credentials.jwtSecret === undefined ? 'open' : 'token'
    this.#credentials = credentials
    this.#sessions = new Sessions(credentials)
    this.#addressOf = addressOf
  }

  /**
   * @param session the session that came with the request, if one did
   * @throws ApiError 401 `not-logged-in` and those of `logIn`; 403 `only-local` where nothing is set
   */
  async require(request: IncomingMessage, session: string | undefined): Promise<Access> {
    this.requireLocalIfOpen(request)
    if (this.access === 'open') return local
    const found = session === undefined ? undefined : this.#sessions.find(session)
    if (found !== undefined) return found
    const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim()
    if (bearer !== undefined) return this.#check(request, bearer)
    throw new ApiError(
      401,
      'not-logged-in',
      'Log in at /operator, or send `Authorization: Bearer` with ADMIN_TOKEN or the JWT of an administrator.',
    )
  }

  /** @throws ApiError 403 `only-local` */
  requireLocalIfOpen(request: IncomingMessage): void {
    if (this.access === 'token' || isLocalRequest(request)) return
    throw new ApiError(
      403,
      'only-local',
      'No ADMIN_TOKEN is set, so the operator is open to requests from its own machine to localhost and to ' +
        'nobody else. ' +
        'Set ADMIN_TOKEN (or ADMIN_JWT_SECRET), restart, and log in.',
    )
  }

  /** Whether a request is let in, without telling it why not. */
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
   * Begins a session for who shows the token or a JWT.
   * @throws ApiError 401 `bad-credentials` or `expired-credentials`, 403 `role-not-allowed`, 429 `too-many-attempts`
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

/** Set by proxies: who asks them is somewhere else. */
const proxyHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const

/**
 * Whether a request was made on this machine, to this machine: the other end of the socket is here, no proxy stands
 * between as far as one can tell (some tell nothing, but ask in HTTP/1.0), and the name it was made to is one of
 * loopback. The name is looked at because a page of another site can have its own name lead here, and a browser would
 * then let it read the answers (DNS rebinding).
 */
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

/** The host of a Host header, without the port. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}

const sessionMs = 12 * 3600 * 1000

/**
 * Sessions of people who logged in: `kind.end.random.signature`. Nothing is kept here, so a session holds in all
 * processes and over restarts. The key of the signature is made of the secret that let the person in, so that all
 * sessions end when that secret is changed, and those of JWTs when other roles are allowed. It is made slowly, so
 * that who steals a session cannot guess a weak secret from it.
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
