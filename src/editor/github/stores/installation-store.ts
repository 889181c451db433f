import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { Queryable } from './connection-store.ts'
import type { LockUser } from '../../../platform/auth/authenticate.ts'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'

/** An installation that the user has proved access to. */
export interface Installation {
  readonly installationId: number
  readonly githubUserId: number
  readonly githubLogin: string
  readonly accountId: number
  readonly accountLogin: string
  readonly accountType: string
  /** Repositories that the user could see at that time. */
  readonly repositoryIds: readonly number[]
  readonly isSuspended: boolean
}

interface Row extends Omit<Installation, 'installationId' | 'githubUserId' | 'accountId' | 'repositoryIds'> {
  readonly installationId: string
  readonly githubUserId: string
  readonly accountId: string
  readonly repositoryIds: readonly string[]
}

const columns = `installation_id as "installationId", github_user_id as "githubUserId", github_login as "githubLogin",
  account_id as "accountId",
  account_login as "accountLogin", account_type as "accountType", repository_ids as "repositoryIds",
    is_suspended as "isSuspended"`

/** Installations that GitHub reported for the user's own token. */
export class InstallationStore {
  readonly #pool: Pool
  readonly #lockUser: LockUser

  constructor(pool: Pool, lockUser: LockUser) {
    this.#pool = pool
    this.#lockUser = lockUser
  }

  async find(userId: string, installationId: number): Promise<Installation | undefined> {
    const {
      rows: [row],
    } = await query<Row>(
      this.#pool,
      `select ${columns} from editor.installations where user_id = $1 and installation_id = $2`,
      [userId, installationId],
    )
    return row === undefined ? undefined : fromRow(row)
  }

  async list(userId: string): Promise<readonly Installation[]> {
    const { rows } = await query<Row>(
      this.#pool,
      `select ${columns} from editor.installations where user_id = $1 order by lower(account_login), installation_id`,
      [userId],
    )
    return rows.map(fromRow)
  }

  /** @throws ApiError 401 `user-removed` */
  async replace(userId: string, githubUserId: number, all: readonly Installation[]): Promise<void> {
    await withTransaction(this.#pool, async (db) => {
      if (!(await this.#lockUser(db, userId)))
        throw new ApiError(401, 'user-removed', 'The account was deleted in the meantime.')
      await query(
        db,
        `delete from editor.installations
          where user_id = $1 and github_user_id = $2 and installation_id <> all ($3::bigint[])`,
        [userId, githubUserId, all.map(({ installationId }) => installationId)],
      )
      for (const one of all.toSorted((a, b) => a.installationId - b.installationId)) {
        await query(
          db,
          `insert into editor.installations as i (user_id, installation_id, github_user_id, github_login, account_id,
            account_login, account_type, repository_ids, is_suspended)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (user_id, installation_id) do update
             set github_user_id = excluded.github_user_id, github_login = excluded.github_login,
             account_id = excluded.account_id,
             account_login = excluded.account_login, account_type = excluded.account_type,
               repository_ids = excluded.repository_ids, is_suspended = excluded.is_suspended, checked_at = now()`,
          [
            userId,
            one.installationId,
            one.githubUserId,
            one.githubLogin,
            one.accountId,
            one.accountLogin,
            one.accountType,
            one.repositoryIds,
            one.isSuspended,
          ],
        )
      }
    })
  }

  async change(db: Queryable, installationId: number, became: 'deleted' | 'suspended' | 'active'): Promise<void> {
    if (became === 'deleted')
      await query(db, 'delete from editor.installations where installation_id = $1', [installationId])
    else
      await query(db, 'update editor.installations set is_suspended = $2 where installation_id = $1', [
        installationId,
        became === 'suspended',
      ])
  }
}

function fromRow({ installationId, githubUserId, accountId, repositoryIds, ...row }: Row): Installation {
  return {
    ...row,
    installationId: Number(installationId),
    githubUserId: Number(githubUserId),
    accountId: Number(accountId),
    repositoryIds: repositoryIds.map(Number),
  }
}

export interface InstallState {
  readonly userId: string
  readonly projectId: string | undefined
}

export const installSeconds = 600

export class InstallStates {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async begin({ userId, projectId }: InstallState): Promise<{ readonly state: string; readonly browser: string }> {
    const [state, browser] = [randomToken(), randomToken()]
    await query(
      this.#pool,
      `insert into editor.install_states (state_hash, browser_hash, user_id, project_id, expires_at)
        values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [digestOf(state), digestOf(browser), userId, projectId ?? null, installSeconds],
    )
    return { state, browser }
  }

  /** Completes once, in the browser that started it. */
  async end(state: string, browser: string): Promise<InstallState | undefined> {
    const {
      rows: [row],
    } = await query<{ userId: string; projectId: string | null }>(
      this.#pool,
      `delete from editor.install_states where state_hash = $1 and browser_hash = $2 and expires_at > now()
        returning user_id as "userId", project_id as "projectId"`,
      [digestOf(state), digestOf(browser)],
    )
    return row === undefined ? undefined : { userId: row.userId, projectId: row.projectId ?? undefined }
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from editor.install_states where expires_at < now()')
  }
}

/** 256 random bits, so a plain digest of it is safe to store. */
function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
