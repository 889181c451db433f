import type { Pool } from 'pg'
import type { Connection, Queryable } from './connection-store.ts'
import type { DeployEnvironment } from './environment-store.ts'
import type { DeployMessage } from '../../lsp/deploy-subscriptions.ts'
import { query } from '../../../platform/db/pool.ts'

/** Queued, running, completed. */
export type Stage = 1 | 2 | 3

export interface RunReport {
  readonly runId: number
  readonly attempt: number
  readonly stage: Stage
  readonly conclusion: string | null
  readonly sha: string
  readonly branch: string
  readonly trigger: string
  readonly logsUrl: string | null
  readonly message: string | null
  readonly author: string | null
  readonly startedAt: Date | null
  readonly endedAt: Date | null
}

export interface Deployment extends RunReport {
  readonly id: string
  readonly network: string
  readonly environment: string | null
  readonly createdAt: Date
  readonly changedAt: Date
}

type Row = Omit<Deployment, 'runId'> & { readonly runId: string }

const columns = `id, run_id as "runId", run_attempt as attempt, stage, conclusion, commit_sha as sha, branch, network,
  environment, trigger, logs_url as "logsUrl", message, author,
  started_at as "startedAt", ended_at as "endedAt", created_at as "createdAt", changed_at as "changedAt"`

/** One row per workflow run, from webhooks and reports in any order. */
export class DeploymentStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** @returns undefined if a later attempt or stage is stored */
  async note(
    db: Queryable,
    { id, network, branch }: Connection,
    environments: readonly DeployEnvironment[],
    run: RunReport,
  ): Promise<Deployment | undefined> {
    const environment = environments.find((one) => one.branch === run.branch)
    if (environment === undefined && run.branch !== branch) return undefined
    const {
      rows: [row],
    } = await query<Row>(
      db,
      `insert into editor.deployments as d (connection_id, run_id, run_attempt, stage, conclusion, commit_sha, branch,
        network, environment, trigger, logs_url, message, author, started_at, ended_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
       on conflict (connection_id, run_id) do update
         set run_attempt = excluded.run_attempt, stage = excluded.stage, conclusion = excluded.conclusion,
         logs_url = coalesce(excluded.logs_url, d.logs_url), message = coalesce(excluded.message, d.message),
           author = coalesce(excluded.author, d.author),
         started_at = case when d.run_attempt = excluded.run_attempt then coalesce(d.started_at, excluded.started_at)
           else excluded.started_at end,
         ended_at = excluded.ended_at, changed_at = clock_timestamp()
         where (excluded.run_attempt, excluded.stage) > (d.run_attempt, d.stage)
       returning ${columns}`,
      [
        id,
        run.runId,
        run.attempt,
        run.stage,
        run.conclusion,
        run.sha,
        run.branch,
        environment?.network ?? network,
        environment?.name ?? null,
        run.trigger,
        run.logsUrl,
        run.message,
        run.author,
        run.startedAt,
        run.endedAt,
      ],
    )
    return row === undefined ? undefined : fromRow(row)
  }

  async list(
    connectionId: string,
    { limit, before }: { readonly limit: number; readonly before: string | undefined },
  ): Promise<readonly Deployment[]> {
    const { rows } = await query<Row>(
      this.#pool,
      `select ${columns} from editor.deployments where connection_id = $1
         and ($3::uuid is null or (created_at, id) < (select created_at, id from editor.deployments
           where id = $3 and connection_id = $1))
       order by created_at desc, id desc limit $2`,
      [connectionId, limit, before ?? null],
    )
    return rows.map(fromRow)
  }

  async prune(days: number): Promise<void> {
    await query(this.#pool, 'delete from editor.deployments where created_at < now() - make_interval(days => $1)', [
      days,
    ])
  }

  async changedSince(
    projectIds: readonly string[],
    since: Date,
  ): Promise<readonly (Deployment & { readonly projectId: string })[]> {
    const { rows } = await query<Row & { readonly projectId: string }>(
      this.#pool,
      `select c.project_id as "projectId", d.* from (select connection_id, ${columns} from editor.deployments
        where changed_at >= $2) d
       join editor.connections c on c.id = d.connection_id where c.project_id = any ($1::uuid[])
         order by d."changedAt" limit 1000`,
      [projectIds, since],
    )
    return rows.map((row) => ({ ...fromRow(row), projectId: row.projectId }))
  }
}

function fromRow(row: Row): Deployment {
  return { ...row, runId: Number(row.runId) }
}

/** Sent in the transaction of the change. */
export const deployChannel = 'flowfarm_editor_deploys'

const stages: Readonly<Record<Stage, string>> = { 1: 'queued', 2: 'in_progress', 3: 'completed' }

export function statusOf(stage: Stage): string {
  return stages[stage]
}

export function deployMessage(projectId: string, deployment: Deployment): DeployMessage {
  const { stage, conclusion, sha, branch, network, environment, logsUrl, startedAt, endedAt, message, author } =
    deployment
  return {
    type: stage < 3 ? 'deploy:started' : conclusion === 'success' ? 'deploy:completed' : 'deploy:failed',
    data: {
      project_id: projectId,
      sha,
      branch,
      network,
      status: conclusion ?? stages[stage],
      ...(environment === null ? {} : { environment }),
      ...(logsUrl === null ? {} : { logs_url: logsUrl }),
      ...(message === null ? {} : { message }),
      ...(author === null ? {} : { author }),
      ...(startedAt === null || endedAt === null
        ? {}
        : { duration_ms: Math.max(0, endedAt.getTime() - startedAt.getTime()) }),
    },
  }
}

/** The message must fit NOTIFY (8,000 bytes). */
export async function notifyDeploy(db: Queryable, message: DeployMessage): Promise<void> {
  await query(db, 'select pg_notify($1, $2)', [deployChannel, JSON.stringify(message)])
}

export function shortLine(text: string | null | undefined, max = 200): string | null {
  const line =
    (text ?? '')
      .split('\n', 1)[0]
      ?.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .trim() ?? ''
  return line === '' ? null : line.toWellFormed().slice(0, max).toWellFormed()
}
