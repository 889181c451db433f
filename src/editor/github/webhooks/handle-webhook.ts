import type { Pool } from 'pg'
import type { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { withRetriedTransaction } from '../../../platform/db/retried-transaction.ts'
import type { ConnectionStore } from '../connections/connection-store.ts'
import type { EnvironmentStore } from '../connections/environment-store.ts'
import type { Queryable } from '../connections/queryable.ts'
import { deployMessage, shortLine, tellDeploy } from '../deploys/deploy-messages.ts'
import type { DeploymentStore } from '../deploys/deployment-store.ts'
import { workflowPath } from '../deploys/deploy-workflow.ts'
import type { InstallationStore } from '../installs/installation-store.ts'
import type { DeliveryStore } from './delivery-store.ts'
import {
  deploymentOf,
  installationEvent,
  installationRepositoriesEvent,
  pushEvent,
  repositoryEvent,
  workflowRunEvent,
} from './webhook-payloads.ts'

export interface WebhookParts {
  readonly pool: Pool
  readonly deliveries: DeliveryStore
  readonly connections: ConnectionStore
  readonly environments: EnvironmentStore
  readonly deployments: DeploymentStore
  readonly installations: InstallationStore
}

/** What became of a delivery. */
export type Outcome = 'taken' | 'repeated' | 'too-old' | 'not-of-interest'

/** GitHub sends again what failed for three days; what is older than that by far was kept by somebody. */
const oldestMs = 7 * 86_400_000
/** Events with a time of their own need not be remembered beyond it. */
const keptDays = { timed: 8, untimed: 400 }

type Handler = (parts: WebhookParts, db: Queryable, payload: unknown) => Promise<void>

const handlers: Readonly<Record<string, { readonly at?: (payload: unknown) => Date; readonly run: Handler }>> = {
  push: { at: (payload) => read(pushEvent, payload).repository.pushed_at, run: onPush },
  workflow_run: { at: (payload) => read(workflowRunEvent, payload).workflow_run.updated_at, run: onWorkflowRun },
  installation: { run: onInstallation },
  installation_repositories: { run: onInstallationRepositories },
  repository: { run: onRepository },
}

/**
 * Takes an event of GitHub whose signature was found right. What it changes, that it was seen, and what others are told of it is one transaction.
 * @param event X-GitHub-Event, which is not signed: one that does not fit the body is refused by what the body lacks
 * @throws ApiError 400 `bad-event`
 */
export async function handleWebhook(
  parts: WebhookParts,
  event: string,
  body: Buffer,
  payload: unknown,
): Promise<Outcome> {
  const handler = Object.hasOwn(handlers, event) ? handlers[event] : undefined
  if (handler === undefined) return 'not-of-interest'
  const at = handler.at?.(payload)
  if (at !== undefined && at.getTime() < Date.now() - oldestMs) return 'too-old'
  return withRetriedTransaction(parts.pool, async (db) => {
    if (!(await parts.deliveries.isNew(db, 'github', body, at === undefined ? keptDays.untimed : keptDays.timed)))
      return 'repeated'
    await handler.run(parts, db, payload)
    return 'taken'
  })
}

async function onPush({ connections, environments }: WebhookParts, db: Queryable, payload: unknown): Promise<void> {
  const { ref, after, deleted, repository, head_commit: commit } = read(pushEvent, payload)
  const branch = /^refs\/heads\/(.+)$/s.exec(ref)?.[1]
  if (branch === undefined || deleted === true) return
  for (const connection of await connections.ofRepository(db, repository.id)) {
    const environment = (await environments.list(connection.id, db)).find((one) => one.branch === branch)
    const isOwnBranch = connection.branch === branch
    if (!isOwnBranch && environment === undefined) continue
    if (isOwnBranch && !(await connections.notePush(db, connection.id, after, repository.pushed_at))) continue
    const [message, author] = [
      shortLine(commit?.message),
      shortLine(commit?.author?.username ?? commit?.author?.name, 100),
    ]
    await tellDeploy(db, {
      type: 'deploy:push',
      data: {
        project_id: connection.projectId,
        sha: after,
        branch,
        network: environment?.network ?? connection.network,
        ...(environment === undefined ? {} : { environment: environment.name }),
        ...(message === null ? {} : { message }),
        ...(author === null ? {} : { author }),
      },
    })
  }
}

async function onWorkflowRun(
  { connections, environments, deployments }: WebhookParts,
  db: Queryable,
  payload: unknown,
): Promise<void> {
  const { workflow_run: run, repository } = read(workflowRunEvent, payload)
  const report = deploymentOf(run, repository.id)
  if (report === undefined) return
  for (const connection of await connections.ofRepository(db, repository.id)) {
    if (report.path !== (connection.workflowPath ?? workflowPath)) continue
    const deployment = await deployments.note(db, connection, await environments.list(connection.id, db), report)
    if (deployment !== undefined) await tellDeploy(db, deployMessage(connection.projectId, deployment))
  }
}

async function onInstallation(
  { connections, installations }: WebhookParts,
  db: Queryable,
  payload: unknown,
): Promise<void> {
  const {
    action,
    installation: { id },
  } = read(installationEvent, payload)
  switch (action) {
    case 'deleted':
      await installations.change(db, id, 'deleted')
      await connections.switchOff(db, { installationId: id }, 'installation-deleted')
      break
    case 'suspend':
      await installations.change(db, id, 'suspended')
      await connections.switchOff(db, { installationId: id }, 'installation-suspended')
      break
    case 'unsuspend':
      await installations.change(db, id, 'active')
      await connections.switchOn(db, { installationId: id }, 'installation-suspended')
      break
    default:
  }
}

async function onInstallationRepositories(
  { connections }: WebhookParts,
  db: Queryable,
  payload: unknown,
): Promise<void> {
  const {
    installation,
    repositories_added: added,
    repositories_removed: removed,
  } = read(installationRepositoriesEvent, payload)
  const ids = (list: readonly { readonly id: number }[]): readonly number[] => list.map(({ id }) => id)
  await connections.switchOff(
    db,
    { installationId: installation.id, repositoryIds: ids(removed) },
    'repository-removed',
  )
  await connections.switchOn(db, { installationId: installation.id, repositoryIds: ids(added) }, 'repository-removed')
}

async function onRepository({ connections }: WebhookParts, db: Queryable, payload: unknown): Promise<void> {
  const {
    action,
    repository: { id, name, owner },
  } = read(repositoryEvent, payload)
  if (action === 'renamed') await connections.rename(db, id, owner.login, name)
  if (action === 'deleted') await connections.switchOff(db, { repositoryIds: [id] }, 'repository-deleted')
}

function read<Schema extends z.ZodType>(schema: Schema, payload: unknown): z.output<Schema> {
  const result = schema.safeParse(payload)
  if (result.success) return result.data
  throw new ApiError(
    400,
    'bad-event',
    `The body is not of this event: ${result.error.issues[0]?.path.join('.') ?? 'it'} does not fit.`,
  )
}
