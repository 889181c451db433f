import { createPublicKey, sign, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, errors, exportJWK, jwtVerify } from 'jose'
import type { JWK } from 'jose'
import type pg from 'pg'
import { rawSignatureOf } from '../../../../clients/signing/assertion-signature.ts'
import { query } from '../../../platform/db/pool.ts'
import { FatalError } from '../../../platform/errors.ts'
import { authError } from '../auth-parts.ts'
import type { OpenSession, IssuedSession } from './sessions.ts'
import { metadataOf, presentUser } from './users.ts'

interface AccessClaims {
  readonly userId: string
  readonly sessionId: string
}

const accessTokenSeconds = 3600

const audience = 'authenticated'

/** ES256; public key at `/.well-known/jwks.json`. */
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

  /** @param issuer URL of the auth endpoint */
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

  /** @returns the token and its expiry, seconds since 1970 */
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

  /** A JWS (RFC 7515), signed synchronously: a thread takes longer. */
  #signed(header: object, payload: object): string {
    const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    // The library's conversion takes as long as the signature.
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
      if (!isUuid(sub) || !isUuid(sessionId)) throw authError(403, 'bad_jwt', 'The access token is invalid.')
      return { userId: sub, sessionId }
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw authError(403, 'bad_jwt', 'The access token has expired.')
      if (error instanceof errors.JOSEError) throw authError(403, 'bad_jwt', 'The access token is invalid.')
      throw error
    }
  }
}

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/**
 * The operator's key, or one that all processes share in the database. @throws FatalError
 * `bad-jwt-key`
 */
export async function readSigningKey(pool: pg.Pool, pem: string | undefined): Promise<KeyObject> {
  return pem === undefined
    ? keyOf(await storedKey(pool), 'The key in wallet_auth.signing_keys')
    : keyOf(pem, 'WALLET_JWT_KEY')
}

async function storedKey(pool: pg.Pool): Promise<string> {
  const storedKey = async (): Promise<string | undefined> => {
    const {
      rows: [row],
    } = await query<{ private_key: string }>(pool, 'select private_key from wallet_auth.signing_keys')
    return row?.private_key
  }
  const found = await storedKey()
  if (found !== undefined) return found
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  })
  // The first process to start wins.
  await query(pool, 'insert into wallet_auth.signing_keys (private_key) values ($1) on conflict do nothing', [
    privateKey,
  ])
  return (await storedKey()) ?? privateKey
}

/** Environment variables often contain escaped line breaks. */
function keyOf(pem: string, name: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch {
    // Parser messages may quote the key.
    throw badKey(name)
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw badKey(name)
  return key
}

function badKey(name: string): FatalError {
  return new FatalError(
    'bad-jwt-key',
    `${name} must be a private key of ES256 in PEM (openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256).`,
  )
}

/** In GoTrue's format. */
export function presentSession(
  { session, refreshToken }: IssuedSession,
  accessTokens: AccessTokens,
): Record<string, unknown> {
  const { token, expiresAt } = accessTokens.sign(session)
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: expiresAt - Math.floor(Date.now() / 1000),
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: presentUser(session.user),
  }
}
