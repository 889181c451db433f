import type pg from 'pg'
import { query } from '../../../platform/db/pool.ts'
import { digestOf, randomToken } from './secrets.ts'

/** A sign-in at a provider that a page began. */
export interface FlowState {
  readonly provider: string
  /** The page that is gone back to. */
  readonly redirectTo: string
  /** Of that page (PKCE, S256). */
  readonly codeChallenge: string
}

/** How long somebody may take at a provider, in seconds. */
export const flowSeconds = 600

/** Sign-ins at providers between going there and coming back. Each ends once, in the browser that began it. */
export class FlowStates {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** @returns what goes to the provider, and what the browser keeps */
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

  /** Undefined: there is none such in this browser. */
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
