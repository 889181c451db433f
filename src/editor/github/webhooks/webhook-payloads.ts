import { z } from 'zod'
import type { RunReport, Stage } from '../deploys/deployment-store.ts'
import { shortLine } from '../deploys/deploy-messages.ts'

/** What is read of GitHub's events, of much more that they have. A text that is too long for us is cut, not refused: it is GitHub's. */

const id = z.number().int().positive()
/** As far as the column goes. */
const attempt = id.max(2_147_483_647)

/** GitHub is younger. */
const earliestMs = Date.UTC(2000, 0, 1)

/** A time that has not come yet by our clock is now: else it would be the newest for as long as it lies ahead. */
function toTime(at: Date, check: z.RefinementCtx): Date {
  if (!(at.getTime() >= earliestMs)) check.addIssue({ code: 'custom', message: 'has to be a time' })
  return new Date(Math.min(at.getTime(), Date.now()))
}

const time = z.string().transform((text, check) => toTime(new Date(text), check))
const seconds = z.number().transform((given, check) => toTime(new Date(given * 1000), check))
const repository = z.object({ id, name: z.string().max(100), owner: z.object({ login: z.string().max(100) }) })

export const pushEvent = z.object({
  ref: z.string().max(300),
  after: z.string().regex(/^[0-9a-f]{40,64}$/),
  deleted: z.boolean().optional(),
  // Seconds since 1970 in this event; elsewhere a text.
  repository: repository.extend({ pushed_at: z.union([seconds, time]) }),
  head_commit: z
    .object({
      message: z.string(),
      author: z.object({ name: z.string().nullish(), username: z.string().nullish() }).nullish(),
    })
    .nullish(),
})

export const workflowRunEvent = z.object({
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

export const installationEvent = z.object({ action: z.string(), installation: z.object({ id }) })

export const installationRepositoriesEvent = installationEvent.extend({
  repositories_added: z.array(z.object({ id })).default([]),
  repositories_removed: z.array(z.object({ id })).default([]),
})

export const repositoryEvent = z.object({ action: z.string(), repository })

export type WorkflowRun = z.output<typeof workflowRunEvent>['workflow_run']

const stages: Readonly<Record<string, Stage>> = {
  requested: 1,
  queued: 1,
  waiting: 1,
  pending: 1,
  in_progress: 2,
  completed: 3,
}

/**
 * A run as a deployment; undefined for one that is none. Only runs of the repository itself count: one that a pull request of a fork began has that
 * fork's code and workflow, and a branch of whatever name.
 */
export function deploymentOf(
  run: WorkflowRun,
  repositoryId: number,
): (RunReport & { readonly path: string }) | undefined {
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

/** It becomes a link in a page. */
function webAddress(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && /^https?:\/\//.test(text) && text.length <= 500 && URL.canParse(text)
    ? text
    : null
}
