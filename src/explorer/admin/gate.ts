import type { IncomingMessage } from 'node:http'
import { checkCredential } from '../../platform/auth/credentials.ts'
import type { Admission, CredentialOptions } from '../../platform/auth/credentials.ts'
import { FailureLimit } from '../../platform/auth/failure-limit.ts'
import { ApiError } from '../../platform/errors.ts'

/**
 * Lets in who shows ADMIN_TOKEN or the JWT of an administrator, as `Authorization: Bearer`. Where neither the token nor a
 * secret for JWTs is set it lets nobody in, not even from this machine: pages of other sites may ask the API, and a
 * browser here would do so for them.
 */
export class AdminGate {
  readonly #credentials: CredentialOptions | undefined
  readonly #limit: FailureLimit

  /**
   * @param credentials undefined: as if none were set
   * @param limit how often a client may be wrong
   */
  constructor(credentials: CredentialOptions | undefined, limit = new FailureLimit()) {
    this.#credentials = credentials
    this.#limit = limit
  }

  /**
   * @param address that wrong credentials are counted by
   * @throws ApiError 403 `admin-disabled`, 401 `credentials-missing`, 429 `too-many-attempts`, and those of `checkCredential`
   */
  async require(request: IncomingMessage, address: string): Promise<Admission> {
    const credentials = this.#credentials
    if (credentials === undefined || (credentials.token === undefined && credentials.jwtSecret === undefined)) {
      throw new ApiError(
        403,
        'admin-disabled',
        'The admin routes are off: set ADMIN_TOKEN or ADMIN_JWT_SECRET and restart.',
      )
    }
    const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim()
    if (bearer === undefined) {
      throw new ApiError(
        401,
        'credentials-missing',
        'Send `Authorization: Bearer` with ADMIN_TOKEN or the JWT of an administrator.',
      )
    }
    this.#limit.require(address)
    try {
      return await checkCredential(bearer, credentials)
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) this.#limit.failed(address)
      throw error
    }
  }
}
