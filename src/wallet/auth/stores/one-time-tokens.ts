import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../../../platform/db/named-query.ts'
import type { StatementRunner } from '../../../platform/db/named-query.ts'
import { query } from '../../../platform/db/pool.ts'
import type { SessionToken } from '../auth-sessions.ts'
import { digestOf, randomCode, randomToken } from './secrets.ts'
import type { AuthSecrets } from './secrets.ts'
import type { SignInMethod } from './sessions.ts'

export interface OneTimeToken {
  readonly kind: 'email' | 'session' | 'code'
  /** Null: the user of the address. */
  readonly userId: string | null
  readonly email: string | null
  readonly method: SignInMethod
  readonly redirectTo: string | null
  readonly codeChallenge: string | null
  readonly userMetadata: Readonly<Record<string, unknown>>
}

type EmailToken = Pick<OneTimeToken, 'redirectTo' | 'codeChallenge' | 'userMetadata'> & {
  readonly email: string
}

export interface EmailSecrets {
  readonly token: string
  readonly code: string
}

interface LiveCode {
  readonly id: string
  readonly email: string
  readonly hash: Buffer
  readonly salt: Buffer
  /** The token is used from another network than the one that requested the e-mail. */
  readonly isElsewhere: boolean
}

/** Lifetimes in seconds. */
const emailSeconds = 3600
const sessionSeconds = 300
const codeSeconds = 300

const maxWrongCodes = 5
/** From other networks than the requester's, so that others cannot use up the owner's attempts. */
const maxWrongCodesElsewhere = 3

const columns = `kind, user_id as "userId", email, method, redirect_to as "redirectTo",
  code_challenge as "codeChallenge", user_metadata as "userMetadata"`

/** One DELETE takes a token, so that it works once. */
export class OneTimeTokens {
  readonly #pool: pg.Pool
  readonly #statements: StatementRunner
  readonly #secrets: AuthSecrets

  constructor(pool: pg.Pool, secrets: AuthSecrets, statements: StatementRunner = pool) {
    this.#pool = pool
    this.#statements = statements
    this.#secrets = secrets
  }

  /**
   * Replaces the previous e-mail's secrets. @param isDead no code matches, at the same cost: for
   * addresses that get no e-mail. @param requestedBy network of the client; undefined: the operator
   */
  async makeForEmail(
    { email, redirectTo, codeChallenge, userMetadata }: EmailToken,
    { isDead = false, requestedBy }: { readonly isDead?: boolean; readonly requestedBy?: string | undefined } = {},
  ): Promise<EmailSecrets> {
    const [token, code, salt] = [randomToken(), randomCode(), randomBytes(16)]
    await query(
      this.#pool,
      `insert into wallet_auth.one_time_tokens (kind, token_hash, email, code_hash, code_salt, method, redirect_to,
        code_challenge, user_metadata, expires_at, code_attempts,
         asked_by)
       values ('email', $1, $2, $3, $4, 'otp', $5, $6, $7, now() + make_interval(secs => $8), $9, $10)
       on conflict (email) where kind = 'email' do update set
         token_hash = excluded.token_hash, code_hash = excluded.code_hash, code_salt = excluded.code_salt,
           code_attempts = excluded.code_attempts,
         asked_by = excluded.asked_by, attempts_elsewhere = 0, redirect_to = excluded.redirect_to,
         code_challenge = excluded.code_challenge, user_metadata = excluded.user_metadata, created_at = now(),
           expires_at = excluded.expires_at`,
      [
        digestOf(token),
        email,
        this.#secrets.codeHash(code, { email, salt }),
        salt,
        redirectTo,
        codeChallenge,
        JSON.stringify(userMetadata),
        emailSeconds,
        isDead ? maxWrongCodes : 0,
        requestedBy === undefined ? null : digestOf(requestedBy),
      ],
    )
    return { token, code }
  }

  async makeForSession(userId: string): Promise<SessionToken | undefined> {
    const tokenHash = randomToken()
    const {
      rows: [user],
    } = await namedQuery<{ email: string | null }>(
      this.#statements,
      `with u as (select id, email from wallet_auth.users where id = $1),
       made as (
         insert into wallet_auth.one_time_tokens (kind, token_hash, user_id, method, expires_at) select 'session', $2,
           id, 'webauthn', now() + make_interval(secs => $3) from u
       )
       select email from u`,
      [userId, digestOf(tokenHash), sessionSeconds],
    )
    return user === undefined ? undefined : { tokenHash, email: user.email ?? undefined }
  }

  /** @param codeChallenge null: the token alone suffices */
  async makeForPage(
    client: pg.ClientBase,
    { userId, method, codeChallenge }: { userId: string; method: SignInMethod; codeChallenge: string | null },
  ): Promise<string> {
    const token = randomToken()
    await query(
      client,
      `insert into wallet_auth.one_time_tokens (kind, token_hash, user_id, method, code_challenge, expires_at)
        values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [codeChallenge === null ? 'session' : 'code', digestOf(token), userId, method, codeChallenge, codeSeconds],
    )
    return token
  }

  async peek(token: string): Promise<OneTimeToken | undefined> {
    const {
      rows: [row],
    } = await query<OneTimeToken>(
      this.#pool,
      `select ${columns} from wallet_auth.one_time_tokens
        where token_hash = $1 and kind = 'email' and expires_at > now()`,
      [digestOf(token)],
    )
    return row
  }

  /** Live tokens only. */
  async waitingFor(email: string): Promise<OneTimeToken | undefined> {
    const {
      rows: [row],
    } = await query<OneTimeToken>(
      this.#pool,
      `select ${columns} from wallet_auth.one_time_tokens
        where email = $1 and kind = 'email' and expires_at > now() and code_attempts < $2`,
      [email, maxWrongCodes],
    )
    return row
  }

  async take(
    client: pg.ClientBase,
    token: string,
    kinds: readonly OneTimeToken['kind'][],
  ): Promise<OneTimeToken | undefined> {
    const {
      rows: [row],
    } = await query<OneTimeToken>(
      client,
      `delete from wallet_auth.one_time_tokens where token_hash = $1 and kind = any($2) and expires_at > now()
        returning ${columns}`,
      [digestOf(token), kinds],
    )
    return row
  }

  /** Undefined: no live code, or no attempts left for this network. */
  async lockCode(client: pg.ClientBase, email: string, network: string): Promise<LiveCode | undefined> {
    const {
      rows: [stored],
    } = await query<LiveCode>(
      client,
      `select id, email, code_hash as hash, code_salt as salt, asked_by is not null
        and asked_by <> $3 as "isElsewhere" from wallet_auth.one_time_tokens
       where kind = 'email' and email = $1 and expires_at > now() and code_attempts < $2 and code_hash is not null
         and (asked_by is null or asked_by = $3 or attempts_elsewhere < $4) for update`,
      [email, maxWrongCodes, digestOf(network), maxWrongCodesElsewhere],
    )
    return stored
  }

  /** A wrong code is counted, so commit in either case. */
  async takeCode(client: pg.ClientBase, live: LiveCode, code: string): Promise<OneTimeToken | undefined> {
    if (!this.#secrets.isCode(code, live)) {
      await query(
        client,
        'update wallet_auth.one_time_tokens set code_attempts = code_attempts + 1, attempts_elsewhere = ' +
          'attempts_elsewhere + $2 where id = $1',
        [live.id, live.isElsewhere ? 1 : 0],
      )
      return undefined
    }
    const {
      rows: [row],
    } = await query<OneTimeToken>(
      client,
      `delete from wallet_auth.one_time_tokens where id = $1 returning ${columns}`,
      [live.id],
    )
    return row
  }
}
