import type pg from 'pg'
import { withTransaction, query } from '../../platform/db/pool.ts'
import { ApiError, asError } from '../../platform/errors.ts'
import { authError, withParameters } from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { identityAddedMail } from './mail.ts'
import { challengeOf, fitsChallenge, digestOf, randomToken } from './stores/secrets.ts'
import type { AuthClient, IssuedSession } from './stores/sessions.ts'
import type { ProviderAccount } from './stores/users.ts'

interface ProviderReturn {
  readonly state: string
  readonly code: string | undefined
  readonly error: string | undefined
}

export class ProviderSignIn {
  readonly #parts: AuthParts

  constructor(parts: AuthParts) {
    this.#parts = parts
  }

  /** @throws ApiError 400 `oauth_provider_not_supported` */
  async begin(flow: FlowState): Promise<{ readonly url: string; readonly browser: string }> {
    const { providers, flows, secrets } = this.#parts
    const provider = providers.get(flow.provider)
    if (provider === undefined)
      throw authError(
        400,
        'oauth_provider_not_supported',
        'This sign-in provider is not enabled. GET /settings lists the enabled ones.',
      )
    const { state, browser } = await flows.begin(flow)
    const url = provider.authorizeUrl({
      state,
      codeChallenge: challengeOf(secrets.providerVerifier(state)),
      nonce: secrets.providerNonce(state),
      redirectUri: this.#callback,
    })
    return { url, browser }
  }

  /** @returns the page with a code or an error. @throws ApiError 400 `bad_oauth_state` */
  async end(back: ProviderReturn, browser: string, client: AuthClient): Promise<string> {
    const flow = await this.#parts.flows.end(back.state, browser)
    if (flow === undefined)
      throw authError(
        400,
        'bad_oauth_state',
        'This sign-in was not started in this browser, or has expired. Start again.',
      )
    try {
      return withParameters(flow.redirectTo, { code: await this.#codeFor(flow, back, client) })
    } catch (error) {
      const { status, code, message } = this.#publicError(error)
      return withParameters(flow.redirectTo, {
        error: status < 500 ? 'access_denied' : 'server_error',
        error_code: code,
        error_description: message,
      })
    }
  }

  /**
   * A wrong verifier also uses up the code. @throws ApiError 404 `flow_state_not_found`, 400
   * `bad_code_verifier`, 403 `user_banned`
   */
  async trade(code: string, verifier: string, client: AuthClient): Promise<IssuedSession> {
    const { pool, oneTimeTokens, sessions } = this.#parts
    const session = await withTransaction(pool, async (db) => {
      const taken = await oneTimeTokens.take(db, code, ['code'])
      if (taken === undefined || taken.userId === null) return 'unknown'
      if (!fitsChallenge(verifier, taken.codeChallenge ?? '')) return 'other page'
      return sessions.open(db, { userId: taken.userId, method: taken.method, client })
    })
    if (session === 'unknown')
      throw authError(404, 'flow_state_not_found', 'The code was used or has expired. Start again.')
    if (session === 'other page')
      throw authError(400, 'bad_code_verifier', 'The code verifier does not match. Start again.')
    return session
  }

  async #codeFor(
    { provider: name, codeChallenge }: FlowState,
    { state, code, error }: ProviderReturn,
    client: AuthClient,
  ): Promise<string> {
    const { pool, providers, secrets, oneTimeTokens, outbox } = this.#parts
    const provider = providers.get(name)
    if (provider === undefined || error !== undefined || code === undefined)
      throw authError(400, 'bad_oauth_callback', 'The sign-in was cancelled at the provider.')
    const account = await provider.identify({
      code,
      codeVerifier: secrets.providerVerifier(state),
      nonce: secrets.providerNonce(state),
      redirectUri: this.#callback,
    })
    const made = await withTransaction(pool, async (db) => {
      const userId = await this.#userOf(db, account, client)
      return oneTimeTokens.makeForPage(db, { userId, method: 'oauth', codeChallenge })
    })
    outbox.deliver()
    return made
  }

  async #userOf(db: pg.ClientBase, account: ProviderAccount, client: AuthClient): Promise<string> {
    const { users, audit, outbox, name } = this.#parts
    const user = await users.ofProvider(db, account)
    const detail = { provider: account.provider }
    if (user.isNew) await audit.note(db, 'user_created', { userId: user.id, client, detail })
    else if (user.isNewIdentity) {
      await audit.note(db, 'identity_added', { userId: user.id, client, detail })
      await outbox.store(db, identityAddedMail({ to: account.email, name, provider: account.provider }))
    }
    return user.id
  }

  get #callback(): string {
    return `${this.#parts.walletUrl}/auth/v1/callback`
  }

  #publicError(error: unknown): ApiError {
    if (error instanceof ApiError) {
      const isOurs = error.status >= 500 || error.details['reason'] !== undefined
      if (isOurs)
        this.#parts.log.warn({ code: error.code, reason: error.message, ...error.details }, 'Provider sign-in failed')
      return error
    }
    this.#parts.log.error({ err: asError(error) }, 'Provider sign-in failed')
    return authError(500, 'unexpected_failure', 'Internal error. Try again.')
  }
}

interface FlowState {
  readonly provider: string
  readonly redirectTo: string
  /** PKCE, S256. */
  readonly codeChallenge: string
}

export const flowSeconds = 600

/** Each completes once, in the browser that started it. */
export class FlowStates {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async begin({
    provider,
    redirectTo,
    codeChallenge,
  }: FlowState): Promise<{ readonly state: string; readonly browser: string }> {
    const [state, browser] = [randomToken(), randomToken()]
    await query(
      this.#pool,
      `insert into wallet_auth.flow_states (state_hash, browser_hash, provider, redirect_to, code_challenge, expires_at)
       values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [digestOf(state), digestOf(browser), provider, redirectTo, codeChallenge, flowSeconds],
    )
    return { state, browser }
  }

  /** Undefined: not started in this browser. */
  async end(state: string, browser: string): Promise<FlowState | undefined> {
    const {
      rows: [row],
    } = await query<FlowState>(
      this.#pool,
      `delete from wallet_auth.flow_states where state_hash = $1 and browser_hash = $2 and expires_at > now()
       returning provider, redirect_to as "redirectTo", code_challenge as "codeChallenge"`,
      [digestOf(state), digestOf(browser)],
    )
    return row
  }
}
