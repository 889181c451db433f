import type { Pool } from 'pg'
import { query } from '../../../platform/db/pool.ts'
import { digestOf, randomToken } from './random-token.ts'

/** Somebody who has gone to GitHub. */
export interface InstallState {
  readonly userId: string
  /** The project that they began at. */
  readonly projectId: string | undefined
}

/** How long somebody may take at GitHub, in seconds. */
export const installSeconds = 600

/** People between going to GitHub and coming back. Each comes back once, in the browser that went. */
export class InstallStates {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** @returns what goes to GitHub, and what the browser keeps */
  async begin({ userId, projectId }: InstallState): Promise<{ readonly state: string; readonly browser: string }> {
    const [state, browser] = [randomToken(), randomToken()]
    await query(
      this.#pool,
      `insert into editor.install_states (state_hash, browser_hash, user_id, project_id, expires_at) values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [digestOf(state), digestOf(browser), userId, projectId ?? null, installSeconds],
    )
    return { state, browser }
  }

  /** Undefined: nobody went there from this browser with this state, or they have come back already, or it was too long ago. */
  async end(state: string, browser: string): Promise<InstallState | undefined> {
    const {
      rows: [row],
    } = await query<{ userId: string; projectId: string | null }>(
      this.#pool,
      `delete from editor.install_states where state_hash = $1 and browser_hash = $2 and expires_at > now() returning user_id as "userId", project_id as "projectId"`,
      [digestOf(state), digestOf(browser)],
    )
    return row === undefined ? undefined : { userId: row.userId, projectId: row.projectId ?? undefined }
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from editor.install_states where expires_at < now()')
  }
}
