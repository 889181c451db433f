import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../base/errors.ts'
import { checkCredential } from '../../auth/credentials.ts'
import type { Admission, CredentialOptions } from '../../auth/credentials.ts'
import { FailureLimit } from '../../auth/failure-limit.ts'
import { isLocalRequest } from './local-request.ts'
import { Sessions } from './sessions.ts'

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
      'No ADMIN_TOKEN is set, so the operator is open to requests from its own machine to localhost and to nobody else. ' +
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
