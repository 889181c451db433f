import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../../../platform/db/named-query.ts'
import type { StatementRunner } from '../../../platform/db/named-query.ts'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { countAttempt, attemptValues } from './rate-limits.ts'
import type { Attempt } from './rate-limits.ts'
import { authError } from '../auth-parts.ts'
import { maxStoredMails } from '../../../platform/mail/outbox.ts'
import type { Mail } from '../../../platform/mail/mail-sender.ts'
import { AuditLog, isNotBanned, userColumns } from './users.ts'
import { digestOf, randomToken } from './secrets.ts'
import type { AuthSecrets } from './secrets.ts'
import type { UserRow } from './users.ts'

export interface IssuedSession {
  readonly session: OpenSession
  readonly refreshToken: string
}

export const signOutScopes = ['global', 'local', 'others'] as const
type SignOutScope = (typeof signOutScopes)[number]

type SessionRow = UserRow & Pick<OpenSession, 'sessionId' | 'method' | 'authenticatedAt' | 'notAfter' | 'clientId'>

/**
 * A used refresh token still returns the current one for this time, s, for concurrent tabs and lost
 * responses. Later use counts as theft.
 */
const graceSeconds = 10

/** More uses indicate abuse. */
const maxTrades = 20

const sessionColumns = `s.id as "sessionId", s.method, s.authenticated_at as "authenticatedAt",
  s.not_after as "notAfter", s.client_id as "clientId", ${userColumns}`

/** Further ones are not stored and not mailed. */
const maxKnownClients = 500
/** No e-mail after this many new networks and browsers in a day. */
export const maxNewClients = 10

/**
 * Opens a session `s` of a user `u`, and mails it if its network or browser is new and not the
 * user's first. `$first`: id, hours, address, user agent, digest of the refresh token; `$mail`:
 * subject, text and HTML
 */
function openedSession(method: string, from: string, first: number, mail: number): string {
  const [id, hours, address, userAgent, digest] = Array.from({ length: 5 }, (_, at) => `$${first + at}`)
  const known = 'wallet_auth.known_clients as known where known.user_id ='
  return `s as (
      insert into wallet_auth.sessions (id, user_id, method, not_after, ip, user_agent)
      select ${id}::uuid, u.id, ${method}, now() + make_interval(hours => ${hours}), nullif(${address}, '')::inet,
        ${userAgent} from ${from} returning *
    ),
    t as (insert into wallet_auth.refresh_tokens (token_hash, session_id) select ${digest}::bytea, id from s),
    a as (insert into wallet_auth.audit_log (event, user_id, session_id, ip, user_agent, detail)
      select 'signed_in', user_id, id, ip, user_agent, jsonb_build_object('method', method) from s),
    k as (
      insert into wallet_auth.known_clients as k (user_id, kind, value)
      select s.user_id, v.kind, v.value from s cross join lateral (values
        ('network', text(network(set_masklen(s.ip, case family(s.ip) when 4 then 24 else 64 end)))),
        ('browser', regexp_replace(s.user_agent, '[0-9]+([._][0-9]+)*', '', 'g'))
      ) as v (kind, value)
      where v.value is not null
        and (select count(*) from (select from ${known} s.user_id limit ${maxKnownClients})) < ${maxKnownClients}
      on conflict (user_id, kind, value) do update set last_seen_at = now()
        where k.last_seen_at < now() - interval '1 day'
      returning k.first_seen_at = k.last_seen_at as is_new
    ),
    m as (
      insert into wallet_auth.outgoing_mails (recipient, subject, text, html)
      select u.email, $${mail}::text, $${mail + 1}::text, $${mail + 2}::text from u
      where u.email is not null and $${mail}::text is not null and exists (select from k where is_new)
        and exists (select from ${known} u.id)
        and (select count(*) from ${known} u.id and known.first_seen_at > now() - interval '1 day') < ${maxNewClients}
        and (select count(*) from (select from wallet_auth.outgoing_mails limit ${maxStoredMails})) < ${maxStoredMails}
    )`
}

function banned(): Error {
  return authError(403, 'user_banned', 'The operator has disabled this account.')
}

interface SessionStoreOptions {
  readonly secrets: AuthSecrets
  readonly statements?: StatementRunner
  readonly hours: number
  readonly onOpen?: ((method: SignInMethod) => void) | undefined
  /** E-mail to the user about a session from a new network or browser. */
  readonly mailOf?: ((client: AuthClient) => Omit<Mail, 'to'>) | undefined
}

/** A refresh token is current, recently used, or used. Using a used token ends its session. */
export class SessionStore {
  readonly #pool: pg.Pool
  readonly #statements: StatementRunner
  readonly #secrets: AuthSecrets
  readonly #hours: number
  readonly #onOpen: (method: SignInMethod) => void
  readonly #mailOf: SessionStoreOptions['mailOf']
  readonly #audit = new AuditLog()

  constructor(
    pool: pg.Pool,
    { secrets, statements = pool, hours, onOpen = () => undefined, mailOf }: SessionStoreOptions,
  ) {
    this.#pool = pool
    this.#statements = statements
    this.#secrets = secrets
    this.#hours = hours
    this.#onOpen = onOpen
    this.#mailOf = mailOf
  }

  /**
   * @param attempt counted in the same statement. @returns `limited`: nothing exchanged; undefined:
   * unknown token. @throws ApiError 403 `user_banned`; the token is used up
   */
  async trade(token: string, client: AuthClient, attempt: Attempt): Promise<IssuedSession | 'limited' | undefined> {
    const refreshToken = randomToken()
    const {
      rows: [row],
    } = await namedQuery<
      { [Name in keyof SessionRow]: SessionRow[Name] | null } & {
        readonly isCounted: boolean
        readonly isTaken: boolean
      }
    >(
      this.#statements,
      `with counted as (${countAttempt(7)}),
       taken as (
         delete from wallet_auth.one_time_tokens as o using counted
           where o.token_hash = $1 and o.kind = 'session' and o.expires_at > now() returning o.user_id, o.method
       ),
       u as (update wallet_auth.users as u set last_sign_in_at = now() from taken
         where u.id = taken.user_id and ${isNotBanned} returning u.*),
       ${openedSession('taken.method', 'u, taken', 2, 11)}
       select exists (select from counted) as "isCounted", exists (select from taken) as "isTaken", ${sessionColumns}
       from (values (1)) as one left join u on true left join s on true`,
      [
        digestOf(token),
        randomUUID(),
        this.#hours,
        client.address,
        client.userAgent,
        digestOf(refreshToken),
        ...attemptValues(attempt),
        ...this.#mail(client),
      ],
    )
    if (row?.isCounted !== true) return 'limited'
    if (!row.isTaken) return undefined
    if (row.sessionId === null) throw banned()
    return this.#opened({ session: sessionOf(row as SessionRow), refreshToken })
  }

  /** @throws ApiError 403 `user_banned` */
  async open(
    db: pg.Pool | pg.ClientBase,
    { userId, method, client }: { readonly userId: string; readonly method: SignInMethod; readonly client: AuthClient },
  ): Promise<IssuedSession> {
    const refreshToken = randomToken()
    const {
      rows: [row],
    } = await query<SessionRow>(
      db,
      `with u as (update wallet_auth.users as u set last_sign_in_at = now() where u.id = $1 and ${isNotBanned}
        returning *),
       ${openedSession('$7', 'u', 2, 8)}
       select ${sessionColumns} from s join u on u.id = s.user_id`,
      [
        userId,
        randomUUID(),
        this.#hours,
        client.address,
        client.userAgent,
        digestOf(refreshToken),
        method,
        ...this.#mail(client),
      ],
    )
    if (row === undefined) throw banned()
    return this.#opened({ session: sessionOf(row), refreshToken })
  }

  /** The session ends with the wallet session. Undefined: that one has ended or belongs to a client. */
  async openForClient(
    { clientId, userId, sessionId }: { readonly clientId: string; readonly userId: string; readonly sessionId: string },
    client: AuthClient,
  ): Promise<IssuedSession | undefined> {
    const refreshToken = randomToken()
    const {
      rows: [row],
    } = await query<SessionRow>(
      this.#pool,
      `with p as (
         select s.* from wallet_auth.sessions as s join wallet_auth.users as u on u.id = s.user_id
         where s.id = $1 and s.user_id = $2 and s.client_id is null and s.not_after > now() and ${isNotBanned}
           for key share of s
       ),
       s as (
         insert into wallet_auth.sessions (id, user_id, method, authenticated_at, not_after, ip, user_agent,
           client_id, opened_by)
         select $3, user_id, method, authenticated_at, not_after, nullif($4, '')::inet, $5, $6, id from p returning *
       ),
       t as (insert into wallet_auth.refresh_tokens (token_hash, session_id) select $7, id from s),
       a as (insert into wallet_auth.audit_log (event, user_id, session_id, ip, user_agent, detail)
         select 'signed_in', user_id, id, ip, user_agent, jsonb_build_object('method', method, 'client', client_id)
           from s)
       select ${sessionColumns} from s join wallet_auth.users as u on u.id = s.user_id`,
      [sessionId, userId, randomUUID(), client.address, client.userAgent, clientId, digestOf(refreshToken)],
    )
    return row === undefined ? undefined : { session: sessionOf(row), refreshToken }
  }

  /**
   * @throws ApiError 400 `refresh_token_not_found`, `refresh_token_already_used`,
   * `session_expired`; 403 `user_banned`
   */
  async refresh(token: string, client: AuthClient): Promise<IssuedSession> {
    const next = this.#secrets.nextRefreshToken(token)
    const {
      rows: [row],
    } = await query<SessionRow>(
      this.#pool,
      // Lock order: the session first.
      `with s as materialized (
         select s.* from wallet_auth.refresh_tokens as t join wallet_auth.sessions as s on s.id = t.session_id
         where t.token_hash = $1 and t.used_at is null and s.not_after > now() for no key update of s
       ),
       good as (
         update wallet_auth.refresh_tokens as t set used_at = clock_timestamp() from s
           join wallet_auth.users as u on u.id = s.user_id
         where t.token_hash = $1 and t.session_id = s.id and t.used_at is null and ${isNotBanned} returning t.session_id
       ),
       made as (insert into wallet_auth.refresh_tokens (token_hash, session_id) select $2, session_id from good),
       touched as (update wallet_auth.sessions as s set refreshed_at = now() from good where s.id = good.session_id)
       select ${sessionColumns} from good join s on s.id = good.session_id
         join wallet_auth.users as u on u.id = s.user_id`,
      [digestOf(token), digestOf(next)],
    )
    return row === undefined ? this.#afterTrade(token, client) : { session: sessionOf(row), refreshToken: next }
  }

  /** @throws ApiError 403 `session_not_found`, `user_banned` */
  async find({ sessionId, userId }: { readonly sessionId: string; readonly userId: string }): Promise<OpenSession> {
    const {
      rows: [row],
    } = await query<SessionRow & { isWelcome: boolean }>(
      this.#pool,
      `select ${sessionColumns}, ${isNotBanned} as "isWelcome" from wallet_auth.sessions as s
        join wallet_auth.users as u on u.id = s.user_id
       where s.id = $1 and s.user_id = $2 and s.not_after > now()`,
      [sessionId, userId],
    )
    if (row === undefined) throw authError(403, 'session_not_found', 'The session of this access token has ended.')
    if (!row.isWelcome) throw banned()
    return sessionOf(row)
  }

  /** Clients end only their own session. */
  async end({ sessionId, user, clientId }: OpenSession, requested: SignOutScope, client: AuthClient): Promise<void> {
    const scope = clientId === null ? requested : 'local'
    const which = { global: '', local: 'and s.id = $2', others: 'and s.id <> $2' }[scope]
    await withTransaction(this.#pool, async (db) => {
      await query(
        db,
        `delete from wallet_auth.sessions as s where s.user_id = $1 and ($2::uuid is not null) ${which}`,
        [user.id, sessionId],
      )
      // Unused one-time tokens could open sessions later.
      if (scope !== 'local') await query(db, 'delete from wallet_auth.one_time_tokens where user_id = $1', [user.id])
      await this.#audit.note(db, 'signed_out', { userId: user.id, sessionId, client, detail: { scope } })
    })
  }

  #mail(client: AuthClient): readonly (string | null)[] {
    const mail = this.#mailOf?.(client)
    return mail === undefined ? [null, null, null] : [mail.subject, mail.text, mail.html]
  }

  #opened(issued: IssuedSession): IssuedSession {
    this.#onOpen(issued.session.method)
    return issued
  }

  async #afterTrade(token: string, client: AuthClient): Promise<IssuedSession> {
    const outcome = await withTransaction(this.#pool, async (db) => {
      const {
        rows: [row],
      } = await query<SessionRow & { isWelcome: boolean; isOver: boolean }>(
        db,
        `select ${sessionColumns}, ${isNotBanned} as "isWelcome", s.not_after <= now() as "isOver"
         from wallet_auth.refresh_tokens as t join wallet_auth.sessions as s on s.id = t.session_id
           join wallet_auth.users as u on u.id = s.user_id
         where t.token_hash = $1 for no key update of s`,
        [digestOf(token)],
      )
      if (row === undefined) return 'unknown'
      if (row.isOver) return 'over'
      if (!row.isWelcome) return 'banned'
      const active = await this.#activeAfter(db, token, row.sessionId)
      if (active !== undefined) return { session: sessionOf(row), refreshToken: active }
      await query(db, 'delete from wallet_auth.sessions where id = $1', [row.sessionId])
      await this.#audit.note(db, 'token_reused', { userId: row.id, sessionId: row.sessionId, client })
      return 'reused'
    })
    if (typeof outcome === 'object') return outcome
    if (outcome === 'unknown')
      throw authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
    if (outcome === 'over') throw authError(400, 'session_expired', 'Invalid Refresh Token: Session Expired')
    if (outcome === 'banned') throw banned()
    throw authError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }

  /** Undefined after the grace period. */
  async #activeAfter(db: pg.ClientBase, token: string, sessionId: string): Promise<string | undefined> {
    let current = token
    for (let trades = 0; trades <= maxTrades; trades++) {
      const {
        rows: [row],
      } = await query<{ isGood: boolean; isLate: boolean }>(
        db,
        `select used_at is null as "isGood", used_at < clock_timestamp() - make_interval(secs => $3) as "isLate"
         from wallet_auth.refresh_tokens where token_hash = $1 and session_id = $2`,
        [digestOf(current), sessionId, graceSeconds],
      )
      if (row === undefined || row.isLate) return undefined
      if (row.isGood) return current
      current = this.#secrets.nextRefreshToken(current)
    }
    return undefined
  }
}

function sessionOf({ sessionId, method, authenticatedAt, notAfter, clientId, ...user }: SessionRow): OpenSession {
  return { sessionId, method, authenticatedAt, notAfter, clientId, user }
}

export type SignInMethod = 'otp' | 'oauth' | 'webauthn'

export interface AuthClient {
  /** Resolved with TRUSTED_PROXIES. */
  readonly address: string
  /** The /64 of IPv6; limits use it. */
  readonly network: string
  readonly userAgent: string
}

export interface OpenSession {
  readonly sessionId: string
  readonly user: UserRow
  readonly method: SignInMethod
  readonly authenticatedAt: Date
  /** Such as `editor`; null: the wallet. */
  readonly clientId: string | null
  /** Refreshing does not extend it. */
  readonly notAfter: Date
}
