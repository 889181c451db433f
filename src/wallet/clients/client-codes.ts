import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { query } from '../../db/pool.ts'

/** Life of an authorization code, ms: the page that it is sent to trades it at once. */
export const codeLifeMs = 60_000

/** What a code was made for. */
export interface ClientCode {
  readonly clientId: string
  readonly redirectUri: string
  /** PKCE, S256, base64url. */
  readonly codeChallenge: string
  readonly userId: string
  /** Session of the wallet in which the user let the client in. */
  readonly sessionId: string
}

/** Authorization codes. One DELETE takes a code, so that it is good once. */
export class ClientCodes {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async make({ clientId, redirectUri, codeChallenge, userId, sessionId }: ClientCode): Promise<string> {
    const code = randomBytes(32).toString('base64url')
    await query(
      this.#pool,
      `insert into wallet_auth.client_codes (code_hash, client_id, redirect_uri, code_challenge, user_id, session_id, expires_at)
       values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms')`,
      [digestOf(code), clientId, redirectUri, codeChallenge, userId, sessionId, codeLifeMs],
    )
    return code
  }

  /** Uses a code up, whoever shows it. Undefined: it is unknown, was used or has expired. */
  async take(code: string): Promise<ClientCode | undefined> {
    const {
      rows: [row],
    } = await query<ClientCode & { readonly isGood: boolean }>(
      this.#pool,
      `delete from wallet_auth.client_codes where code_hash = $1
       returning client_id as "clientId", redirect_uri as "redirectUri", code_challenge as "codeChallenge", user_id as "userId", session_id as "sessionId",
         expires_at > now() as "isGood"`,
      [digestOf(code)],
    )
    return row?.isGood === true ? row : undefined
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from wallet_auth.client_codes where expires_at <= now()')
  }
}

function digestOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
