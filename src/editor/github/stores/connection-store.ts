import { randomBytes } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import type { EditorNetwork } from '../../editor-network.ts'
import { query, withRetriedTransaction } from '../../../platform/db/pool.ts'
import { RetryableError } from '../../../platform/errors.ts'

export type Queryable = Pool | ClientBase

type OffReason = 'installation-deleted' | 'installation-suspended' | 'repository-removed' | 'repository-deleted'

export interface Connection {
  readonly id: string
  readonly projectId: string
  readonly userId: string
  readonly installationId: number
  readonly repositoryId: number
  readonly owner: string
  readonly repo: string
  readonly path: string
  readonly branch: string
  readonly network: EditorNetwork
  readonly workflowPath: string | null
  readonly callbackSalt: Buffer
  readonly lastCommitSha: string | null
  readonly offReason: OffReason | null
  readonly createdAt: Date
}

type NewConnection = Pick<
  Connection,
  'projectId' | 'userId' | 'installationId' | 'repositoryId' | 'owner' | 'repo' | 'path' | 'branch' | 'network'
>

type Row = Omit<Connection, 'installationId' | 'repositoryId'> & {
  readonly installationId: string
  readonly repositoryId: string
}

const columns = `id, project_id as "projectId", user_id as "userId", installation_id as "installationId",
  repository_id as "repositoryId", owner, repo, path, branch, network,
  workflow_path as "workflowPath", callback_salt as "callbackSalt", last_commit_sha as "lastCommitSha",
    off_reason as "offReason", created_at as "createdAt"`

interface WhichConnections {
  readonly installationId?: number
  readonly repositoryIds?: readonly number[]
}

/** Selects nothing without criteria. */
const among = `($1::bigint is not null or $2::bigint[] is not null) and ($1::bigint is null or installation_id = $1)
  and ($2::bigint[] is null or repository_id = any ($2))`

/** A project has at most one connection. */
export class ConnectionStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Another repository replaces the previous one with its environments, deployments and report key.
   */
  async put(connection: NewConnection): Promise<Connection> {
    return withRetriedTransaction(this.#pool, (db) => put(db, connection))
  }

  async ofProject(projectId: string): Promise<Connection | undefined> {
    return this.#one('project_id = $1', projectId)
  }

  async find(id: string): Promise<Connection | undefined> {
    return this.#one('id = $1', id)
  }

  async page(after: string, limit: number): Promise<readonly Pick<Connection, 'id' | 'projectId' | 'userId'>[]> {
    const sql = `select id, project_id as "projectId", user_id as "userId" from editor.connections where id > $1
        order by id limit $2`
    return (await query<Pick<Connection, 'id' | 'projectId' | 'userId'>>(this.#pool, sql, [after, limit])).rows
  }

  async ofRepository(db: Queryable, repositoryId: number): Promise<readonly Connection[]> {
    const { rows } = await query<Row>(
      db,
      `select ${columns} from editor.connections where repository_id = $1 and off_reason is null order by id`,
      [repositoryId],
    )
    return rows.map(fromRow)
  }

  async remove(projectId: string): Promise<boolean> {
    return (await query(this.#pool, 'delete from editor.connections where project_id = $1', [projectId])).rowCount === 1
  }

  async setWorkflow(id: string, workflowPath: string): Promise<void> {
    await query(this.#pool, 'update editor.connections set workflow_path = $2, changed_at = now() where id = $1', [
      id,
      workflowPath,
    ])
  }

  async setCommit(id: string, branch: string, sha: string): Promise<void> {
    await query(
      this.#pool,
      'update editor.connections set last_commit_sha = $3, changed_at = now() where id = $1 and branch = $2',
      [id, branch, sha],
    )
  }

  /** @returns false for pushes that are out of order */
  async notePush(db: Queryable, id: string, sha: string, pushedAt: Date): Promise<boolean> {
    const { rowCount } = await query(
      db,
      'update editor.connections set last_commit_sha = $2, last_pushed_at = $3, changed_at = now() where id = $1 ' +
        'and (last_pushed_at is null or last_pushed_at <= $3)',
      [id, sha, pushedAt],
    )
    return rowCount === 1
  }

  async switchOff(db: Queryable, which: WhichConnections, reason: OffReason): Promise<void> {
    await query(db, `update editor.connections set off_reason = $3, changed_at = now() where ${among}`, [
      which.installationId ?? null,
      which.repositoryIds ?? null,
      reason,
    ])
  }

  async switchOn(db: Queryable, which: WhichConnections, reason: OffReason): Promise<void> {
    await query(
      db,
      `update editor.connections set off_reason = null, changed_at = now() where ${among} and off_reason = $3`,
      [which.installationId ?? null, which.repositoryIds ?? null, reason],
    )
  }

  async rename(db: Queryable, repositoryId: number, owner: string, repo: string): Promise<void> {
    await query(
      db,
      'update editor.connections set owner = $2, repo = $3, changed_at = now() where repository_id = $1',
      [repositoryId, owner, repo],
    )
  }

  async #one(condition: string, value: string): Promise<Connection | undefined> {
    const {
      rows: [row],
    } = await query<Row>(this.#pool, `select ${columns} from editor.connections where ${condition}`, [value])
    return row === undefined ? undefined : fromRow(row)
  }
}

async function put(db: Queryable, connection: NewConnection): Promise<Connection> {
  const { projectId, userId, installationId, repositoryId, owner, repo, path, branch, network } = connection
  await query(db, 'delete from editor.connections where project_id = $1 and (repository_id <> $2 or user_id <> $3)', [
    projectId,
    repositoryId,
    userId,
  ])
  const {
    rows: [row],
  } = await query<Row>(
    db,
    `insert into editor.connections as c (project_id, user_id, installation_id, repository_id, owner, repo, path,
      branch, network, callback_salt)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (project_id) do update
       set installation_id = excluded.installation_id, owner = excluded.owner, repo = excluded.repo,
       path = excluded.path, network = excluded.network,
       branch = excluded.branch, last_commit_sha = case when c.branch = excluded.branch then c.last_commit_sha end,
       last_pushed_at = case when c.branch = excluded.branch then c.last_pushed_at end, off_reason = null,
         changed_at = now()
       where c.repository_id = excluded.repository_id and c.user_id = excluded.user_id
     returning ${columns}`,
    [projectId, userId, installationId, repositoryId, owner, repo, path, branch, network, randomBytes(32)],
  )
  if (row === undefined)
    throw new RetryableError('transaction-conflict', 'Another request connected the project at the same time.')
  return fromRow(row)
}

function fromRow({ installationId, repositoryId, ...row }: Row): Connection {
  return { ...row, installationId: Number(installationId), repositoryId: Number(repositoryId) }
}

const statements = [
  'delete from editor.install_states where user_id = $1',
  'delete from editor.connections where user_id = $1',
  'delete from editor.installations where user_id = $1',
]

interface LinkedProject {
  readonly slug: string
  readonly name: string
  readonly network: EditorNetwork
  readonly isPublic: boolean
  readonly updatedAt: Date
  readonly repository: string | null
  readonly deployKeys: readonly { readonly environment: string; readonly address: string | null }[]
}

const maxLinked = 50

/** Newest first, at most 50. */
export async function listLinkedProjects(
  pool: Pool,
  userId: string,
): Promise<{ readonly projects: readonly LinkedProject[]; readonly count: number }> {
  const { rows } = await query<LinkedProject & { readonly count: number }>(
    pool,
    `select p.slug, p.name, p.network, p.is_public as "isPublic", p.updated_at as "updatedAt",
       c.owner || '/' || c.repo as repository,
       coalesce((select jsonb_agg(jsonb_build_object('environment', e.name, 'address', e.flow_address) order by e.name)
         from editor.environments e where e.connection_id = c.id and e.has_secrets), '[]') as "deployKeys",
       (select count(*)::int from projects.projects where user_id = $1) as count
     from projects.projects p left join editor.connections c on c.project_id = p.id
     where p.user_id = $1 order by p.updated_at desc, p.id desc limit $2`,
    [userId, maxLinked],
  )
  return { projects: rows.map(({ count: _count, ...project }) => project), count: rows[0]?.count ?? 0 }
}

/** Call in the transaction that deletes the user. @param userId sub of the auth server */
export async function deleteRepositories(client: ClientBase, userId: string): Promise<void> {
  for (const statement of statements) await query(client, statement, [userId])
}
