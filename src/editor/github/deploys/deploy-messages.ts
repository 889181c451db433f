import { query } from '../../../platform/db/pool.ts'
import type { DeployMessage } from '../../lsp/deploy-feed.ts'
import type { Queryable } from '../connections/queryable.ts'
import type { Deployment, Stage } from './deployment-store.ts'

/** Channel of NOTIFY; told inside the transaction that it tells of, so that it arrives after its commit. */
export const deployChannel = 'flowfarm_editor_deploys'

const stages: Readonly<Record<Stage, string>> = { 1: 'queued', 2: 'in_progress', 3: 'completed' }

/** A stage as GitHub calls it. */
export function statusOf(stage: Stage): string {
  return stages[stage]
}

/** What subscribers are told of a deployment. */
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

/** Has all processes tell those who have asked. Texts are short enough for a notification, which may have 8,000 bytes. */
export async function tellDeploy(db: Queryable, message: DeployMessage): Promise<void> {
  await query(db, 'select pg_notify($1, $2)', [deployChannel, JSON.stringify(message)])
}

/** What may stand in a message: one line, without what does not show, and not long. */
export function shortLine(text: string | null | undefined, most = 200): string | null {
  const line =
    (text ?? '')
      .split('\n', 1)[0]
      ?.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .trim() ?? ''
  return line === '' ? null : line.toWellFormed().slice(0, most).toWellFormed()
}
