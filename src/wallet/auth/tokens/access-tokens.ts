import { createPublicKey, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, errors, exportJWK, jwtVerify } from 'jose'
import type { JWK } from 'jose'
import { rawSignatureOf } from '../../../../clients/signing/der-signature.ts'
import { authError } from '../auth-error.ts'
import type { OpenSession } from '../sessions/open-session.ts'
import { metadataOf } from '../users/present-user.ts'

/** What an access token says that its session does not say better. */
export interface AccessClaims {
  readonly userId: string
  readonly sessionId: string
}

/** How long an access token is good, in seconds. */
export const accessTokenSeconds = 3600

const audience = 'authenticated'

/** Access tokens: JWTs with ES256, which others verify by the key at `/.well-known/jwks.json`. */
export class AccessTokens {
  readonly #key: KeyObject
  readonly #publicKey: KeyObject
  readonly #issuer: string
  readonly jwk: JWK & { readonly kid: string }

  private constructor(key: KeyObject, issuer: string, jwk: AccessTokens['jwk']) {
    this.#key = key
    this.#publicKey = createPublicKey(key)
    this.#issuer = issuer
    this.jwk = jwk
  }

  /** @param issuer the address of the auth endpoint */
  static async create(key: KeyObject, issuer: string): Promise<AccessTokens> {
    const jwk = await exportJWK(createPublicKey(key))
    return new AccessTokens(key, issuer, {
      ...jwk,
      alg: 'ES256',
      use: 'sig',
      key_ops: ['verify'],
      kid: await calculateJwkThumbprint(jwk),
    })
  }

  /** @returns the token and when it ends, in seconds since 1970 */
  sign({ user, sessionId, method, authenticatedAt, notAfter, clientId }: OpenSession): {
    readonly token: string
    readonly expiresAt: number
  } {
    const now = Math.floor(Date.now() / 1000)
    const expiresAt = Math.min(now + accessTokenSeconds, Math.floor(notAfter.getTime() / 1000))
    const claims = {
      email: user.email ?? '',
      phone: '',
      app_metadata: metadataOf(user),
      user_metadata: user.userMetadata,
      role: audience,
      aal: 'aal1',
      amr: [{ method, timestamp: Math.floor(authenticatedAt.getTime() / 1000) }],
      session_id: sessionId,
      is_anonymous: false,
      ...(clientId === null ? {} : { client_id: clientId }),
    }
    const payload = { ...claims, iss: this.#issuer, sub: user.id, aud: audience, iat: now, exp: expiresAt }
    return { token: this.#signed({ alg: 'ES256', typ: 'JWT', kid: this.jwk.kid }, payload), expiresAt }
  }

  /** A JWS (RFC 7515) in its compact form, made in one turn of the event loop: the way to another thread takes longer than the signature. */
  #signed(header: object, payload: object): string {
    const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    // Having the library write r and s side by side takes as long again as the signature.
    return `${text}.${Buffer.from(rawSignatureOf(sign('sha256', Buffer.from(text), this.#key))).toString('base64url')}`
  }

  /** @throws ApiError 403 `bad_jwt` */
  async verify(token: string): Promise<AccessClaims> {
    try {
      const { payload } = await jwtVerify(token, this.#publicKey, {
        algorithms: ['ES256'],
        issuer: this.#issuer,
        audience,
        typ: 'JWT',
        requiredClaims: ['exp', 'sub', 'session_id'],
      })
      const { sub, session_id: sessionId } = payload
      if (!isUuid(sub) || !isUuid(sessionId)) throw authError(403, 'bad_jwt', 'The access token is not one of ours.')
      return { userId: sub, sessionId }
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw authError(403, 'bad_jwt', 'The access token has expired.')
      if (error instanceof errors.JOSEError) throw authError(403, 'bad_jwt', 'The access token is not one of ours.')
      throw error
    }
  }
}

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
