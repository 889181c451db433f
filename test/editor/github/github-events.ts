import type { FakeRepository } from '../../support/fake-repository.ts'

/** GitHub webhook events, with the fields that the editor reads and some that it ignores. */

export interface RunOptions {
  readonly id?: number
  readonly attempt?: number
  readonly status?: string
  readonly conclusion?: string | null
  readonly branch?: string
  readonly event?: string
  readonly path?: string
  readonly headRepository?: number
  readonly at?: Date
  readonly message?: string
}

const sha = 'ab'.repeat(20)

function repositoryOf(repo: FakeRepository): {
  id: number
  name: string
  full_name: string
  owner: { login: string }
} {
  return { id: repo.id, name: repo.name, full_name: `${repo.owner}/${repo.name}`, owner: { login: repo.owner } }
}

export function runEvent(repo: FakeRepository, options: RunOptions = {}): unknown {
  const {
    id = 77,
    attempt = 1,
    status = 'completed',
    conclusion = status === 'completed' ? 'success' : null,
    branch = 'main',
    event = 'push',
    path = '.github/workflows/flow-deploy.yml',
    headRepository = repo.id,
    at = new Date(),
    message = 'Deploy it\n\nAt last',
  } = options
  return {
    action: status === 'queued' ? 'requested' : status,
    repository: repositoryOf(repo),
    workflow_run: {
      id,
      run_attempt: attempt,
      name: 'Deploy to Flow',
      status,
      conclusion,
      event,
      path,
      head_branch: branch,
      head_sha: sha,
      html_url: `https://github.com/${repo.owner}/${repo.name}/actions/runs/${id}`,
      head_repository: { id: headRepository },
      updated_at: at.toISOString(),
      run_started_at: new Date(at.getTime() - 5000).toISOString(),
      head_commit: { message, author: { name: 'Ann' } },
      actor: { login: 'ann' },
    },
  }
}

export function pushEventOf(
  repo: FakeRepository,
  {
    branch = 'main',
    at = new Date(),
    after = sha,
    deleted = false,
  }: { readonly branch?: string; readonly at?: Date; readonly after?: string; readonly deleted?: boolean } = {},
): unknown {
  return {
    ref: `refs/heads/${branch}`,
    before: '0'.repeat(40),
    after,
    deleted,
    repository: { ...repositoryOf(repo), pushed_at: Math.floor(at.getTime() / 1000) },
    head_commit: deleted ? null : { id: after, message: 'A push\nand more', author: { name: 'Ann', username: 'ann' } },
  }
}
