import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { z } from 'zod'
import { workflowPath } from './deploy-workflow.ts'
import type { ConnectionStore, Queryable } from './stores/connection-store.ts'
import { deployMessage, shortLine, notifyDeploy } from './stores/deployment-store.ts'
import type { DeploymentStore, RunReport, Stage } from './stores/deployment-store.ts'
import type { EnvironmentStore } from './stores/environment-store.ts'
import type { InstallationStore } from './stores/installation-store.ts'
import { query, withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'

interface WebhookParts {
  readonly pool: Pool
  readonly deliveries: DeliveryStore
  readonly connections: ConnectionStore
  readonly environments: EnvironmentStore
  readonly deployments: DeploymentStore
  readonly installations: InstallationStore
}

type Outcome = 'taken' | 'repeated' | 'too-old' | 'not-of-interest'

/** GitHub retries for three days; much older deliveries are replays. */
const maxAgeMs = 7 * 86_400_000
/** Events with a timestamp need not be remembered for longer. Days. */
const retentionDays = { timed: 8, untimed: 400 }

type Handler = (parts: WebhookParts, db: Queryable, payload: unknown) => Promise<void>

const handlers: Readonly<Record<string, { readonly at?: (payload: unknown) => Date; readonly run: Handler }>> = {
  push: { at: (payload) => read(pushEvent, payload).repository.pushed_at, run: onPush },
  workflow_run: { at: (payload) => read(workflowRunEvent, payload).workflow_run.updated_at, run: onWorkflowRun },
  installation: { run: onInstallation },
  installation_repositories: { run: onInstallationRepositories },
  repository: { run: onRepository },
}

/**
 * Handles a verified event in one transaction. X-GitHub-Event is unsigned: the body must match it.
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
  if (at !== undefined && at.getTime() < Date.now() - maxAgeMs) return 'too-old'
  return withRetriedTransaction(parts.pool, async (db) => {
    if (
      !(await parts.deliveries.isNew(
        db,
        'github',
        body,
        at === undefined ? retentionDays.untimed : retentionDays.timed,
      ))
    )
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
    await notifyDeploy(db, {
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
    if (deployment !== undefined) await notifyDeploy(db, deployMessage(connection.projectId, deployment))
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
    `The body does not match the event: invalid ${result.error.issues[0]?.path.join('.') ?? 'body'}.`,
  )
}

const id = z.number().int().positive()
const attempt = id.max(2_147_483_647)

const earliestMs = Date.UTC(2000, 0, 1)

/** Future times become the current time, else they would stay the newest. */
function toTime(at: Date, check: z.RefinementCtx): Date {
  if (!(at.getTime() >= earliestMs)) check.addIssue({ code: 'custom', message: 'must be a time' })
  return new Date(Math.min(at.getTime(), Date.now()))
}

const time = z.string().transform((text, check) => toTime(new Date(text), check))
const seconds = z.number().transform((given, check) => toTime(new Date(given * 1000), check))
const repository = z.object({ id, name: z.string().max(100), owner: z.object({ login: z.string().max(100) }) })

const pushEvent = z.object({
  ref: z.string().max(300),
  after: z.string().regex(/^[0-9a-f]{40,64}$/),
  deleted: z.boolean().optional(),
  // Seconds since 1970 in this event, text in others.
  repository: repository.extend({ pushed_at: z.union([seconds, time]) }),
  head_commit: z
    .object({
      message: z.string(),
      author: z.object({ name: z.string().nullish(), username: z.string().nullish() }).nullish(),
    })
    .nullish(),
})

const workflowRunEvent = z.object({
  action: z.string(),
  repository,
  workflow_run: z.object({
    id,
    run_attempt: attempt.optional(),
    status: z.string(),
    conclusion: z
      .string()
      .regex(/^[a-z_]{1,40}$/)
      .nullish(),
    event: z.string(),
    path: z.string(),
    head_branch: z.string().max(300).nullish(),
    head_sha: z.string().regex(/^[0-9a-f]{40,64}$/),
    html_url: z.string().nullish(),
    head_repository: z.object({ id }).nullish(),
    updated_at: time,
    run_started_at: time.nullish(),
    head_commit: z
      .object({ message: z.string(), author: z.object({ name: z.string().nullish() }).nullish() })
      .nullish(),
    actor: z.object({ login: z.string() }).nullish(),
  }),
})

const installationEvent = z.object({ action: z.string(), installation: z.object({ id }) })

const installationRepositoriesEvent = installationEvent.extend({
  repositories_added: z.array(z.object({ id })).default([]),
  repositories_removed: z.array(z.object({ id })).default([]),
})

const repositoryEvent = z.object({ action: z.string(), repository })

type WorkflowRun = z.output<typeof workflowRunEvent>['workflow_run']

const stages: Readonly<Record<string, Stage>> = {
  requested: 1,
  queued: 1,
  waiting: 1,
  pending: 1,
  in_progress: 2,
  completed: 3,
}

/** Ignores pull requests from forks: they have the fork's code, workflow and branch name. */
function deploymentOf(run: WorkflowRun, repositoryId: number): (RunReport & { readonly path: string }) | undefined {
  const stage = stages[run.status]
  const { head_branch: branch } = run
  if (stage === undefined || branch === null || branch === undefined) return undefined
  if (!['push', 'workflow_dispatch'].includes(run.event) || run.head_repository?.id !== repositoryId) return undefined
  return {
    path: run.path.split('@', 1)[0] ?? '',
    runId: run.id,
    attempt: run.run_attempt ?? 1,
    stage,
    conclusion: stage === 3 ? (run.conclusion ?? 'unknown') : null,
    sha: run.head_sha,
    branch,
    trigger: run.event,
    logsUrl: webAddress(run.html_url),
    message: shortLine(run.head_commit?.message),
    author: shortLine(run.actor?.login ?? run.head_commit?.author?.name, 100),
    startedAt: stage === 1 ? null : (run.run_started_at ?? run.updated_at),
    endedAt: stage === 3 ? run.updated_at : null,
  }
}

function webAddress(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && /^https?:\/\//.test(text) && text.length <= 500 && URL.canParse(text)
    ? text
    : null
}

/** Each signed delivery counts once. Headers are unsigned and not part of the digest. */
export class DeliveryStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** @returns whether the bytes are new; a concurrent transaction with the same bytes waits */
  async isNew(db: Queryable, source: 'github' | 'workflow', signed: Buffer, retentionDays: number): Promise<boolean> {
    const { rowCount } = await query(
      db,
      `insert into editor.deliveries (digest, source, kept_until) values ($1, $2, now() + make_interval(days => $3))
        on conflict (digest) do nothing`,
      [createHash('sha256').update(source).update('\0').update(signed).digest(), source, retentionDays],
    )
    return rowCount === 1
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from editor.deliveries where kept_until < now()')
  }
}
