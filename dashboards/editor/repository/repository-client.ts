import { callJson, jsonBody } from '../../auth/auth-service.ts'
import { ApiProblem } from '../../kit/api.ts'
import type { TokenSource } from '../settings.ts'
import type {
  Answers,
  Connection,
  Environment,
  Deployment,
  Installation,
  Repository,
  Requests,
  TreeEntry,
} from '../answers.gen.ts'
import type { Committed, ConnectRequest, FileChange } from '../types.ts'

/** The private key, hex digits, is sent only sealed. */
type DeployKey = Pick<Requests['POST /github/secrets'], 'environment_name' | 'flow_address' | 'flow_key_index'> & {
  readonly privateKey: string
}

type Query = Readonly<Record<string, string>>

/** All calls throw ApiProblem. */
export class RepositoryClient {
  readonly #token: TokenSource

  constructor(token: TokenSource) {
    this.#token = token
  }

  /** GitHub redirects back within ten minutes. */
  begin(projectId: string): Promise<Answers['POST /github/install']> {
    return this.#post('/install', { project_id: projectId })
  }

  async installations(): Promise<readonly Installation[]> {
    return (await this.#get<{ readonly installations: readonly Installation[] }>('/installations')).installations
  }

  async repositories(installationId: number): Promise<readonly Repository[]> {
    return (
      await this.#get<{ readonly repos: readonly Repository[] }>('/repos', { installation_id: String(installationId) })
    ).repos
  }

  /** Null: not connected. */
  async connection(projectId: string): Promise<Connection | null> {
    try {
      return (await this.#get<{ readonly connection: Connection }>('/connection', { project_id: projectId })).connection
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'not-connected') return null
      throw error
    }
  }

  async connect(request: ConnectRequest): Promise<void> {
    await this.#post('/connect', request)
  }

  async disconnect(projectId: string): Promise<void> {
    await this.#delete('/connection', { project_id: projectId })
  }

  async head({ project_id: id, owner, repo, branch }: Connection): Promise<string | null> {
    try {
      const {
        commits: [newest],
      } = await this.#get<{ readonly commits: readonly { readonly sha: string }[] }>(`/commits/${owner}/${repo}`, {
        project_id: id,
        branch,
        per_page: '1',
      })
      return newest?.sha ?? null
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'not-on-github') return null
      throw error
    }
  }

  /** One level; empty if it does not exist. @param path from the top of the repository */
  async folder({ project_id: id, owner, repo }: Connection, path: string, ref: string): Promise<readonly TreeEntry[]> {
    try {
      return (
        await this.#get<{ readonly files: readonly TreeEntry[] }>(`/tree/${owner}/${repo}`, {
          project_id: id,
          path,
          ref,
        })
      ).files
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'not-on-github') return []
      throw error
    }
  }

  /** @param path from the top of the repository */
  async file({ project_id: id, owner, repo }: Connection, path: string, ref: string): Promise<string> {
    const segments = path.split('/').map(encodeURIComponent).join('/')
    return (
      await this.#get<{ readonly content: string }>(`/file/${owner}/${repo}/${segments}`, { project_id: id, ref })
    ).content
  }

  /** One commit on top of `head`; all files or none. */
  commit(
    projectId: string,
    {
      message,
      files,
      head,
    }: { readonly message: string; readonly files: readonly FileChange[]; readonly head: string | null },
  ): Promise<Committed> {
    return this.#post('/commit', { project_id: projectId, message, files, expected_head: head })
  }

  async environments(projectId: string): Promise<readonly Environment[]> {
    return (
      await this.#get<{ readonly environments: readonly Environment[] }>('/environments', {
        project_id: projectId,
      })
    ).environments
  }

  async putEnvironment(
    projectId: string,
    { name, branch, network }: Pick<Environment, 'name' | 'branch' | 'network'>,
  ): Promise<void> {
    await this.#post('/environments', { project_id: projectId, name, branch, network })
  }

  async removeEnvironment(projectId: string, name: string): Promise<void> {
    await this.#delete('/environments', { project_id: projectId, name })
  }

  /** Seals the private key in the browser; only the sealed box is sent. */
  async putSecrets(projectId: string, { privateKey, ...settings }: DeployKey): Promise<void> {
    const [{ key_id: keyId, key }, { sealKey }] = await Promise.all([
      this.#get<{ readonly key_id: string; readonly key: string }>('/secrets/key', { project_id: projectId }),
      import('./seal-key.ts'),
    ])
    await this.#post('/secrets', {
      project_id: projectId,
      ...settings,
      key_id: keyId,
      encrypted_private_key: await sealKey(privateKey, key),
    })
  }

  async writeWorkflow(projectId: string): Promise<void> {
    await this.#post('/workflow', { project_id: projectId })
  }

  async deploy(projectId: string, branch: string): Promise<void> {
    await this.#post('/dispatch', { project_id: projectId, branch, action: 'deploy' })
  }

  async deployments(projectId: string): Promise<readonly Deployment[]> {
    return (await this.#get<{ readonly deployments: readonly Deployment[] }>('/deployments', { project_id: projectId }))
      .deployments
  }

  token(): Promise<string | undefined> {
    return this.#token()
  }

  #get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return this.#call(`${path}?${new URLSearchParams(query).toString()}`, {})
  }

  #delete<Answer>(path: string, query: Query): Promise<Answer> {
    return this.#call(`${path}?${new URLSearchParams(query).toString()}`, { method: 'DELETE' })
  }

  #post<Answer>(path: string, body: unknown): Promise<Answer> {
    return this.#call(path, jsonBody(body))
  }

  async #call<Answer>(path: string, init: RequestInit): Promise<Answer> {
    const token = await this.#token()
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return callJson<Answer>(`/github${path}`, { ...init, headers })
  }
}

interface RedirectResult {
  readonly text: string
  readonly isGood: boolean
  readonly slug: string | undefined
}

const key = 'flowfarm-editor-github'

export function rememberRedirect(projectId: string, slug: string): void {
  sessionStorage.setItem(key, JSON.stringify({ projectId, slug }))
}

const reasons: Readonly<Record<string, string>> = {
  'bad-state': 'it took longer than ten minutes, or started in another browser. Try again.',
  'github-denied': 'access was denied or the page was closed.',
  'github-code': 'the authorization code was rejected. Try again.',
  'user-removed': 'your user was deleted.',
}

export function readRedirectResult(search: string): RedirectResult | undefined {
  const values = new URLSearchParams(search)
  const outcome = values.get('github')
  if (outcome === null) return undefined
  const slug = slugOf(values.get('project_id'))
  switch (outcome) {
    case 'connected':
      return { text: 'GitHub access granted. Choose a repository.', isGood: true, slug }
    case 'none':
      return {
        text: 'No repositories are available. Install the GitHub App and choose repositories.',
        isGood: false,
        slug,
      }
    case 'asked':
      return {
        text: 'An owner of the organization must approve the request. Come back after the approval.',
        isGood: true,
        slug,
      }
    default:
      return {
        text:
          'GitHub authorization failed: ' +
          (reasons[values.get('reason') ?? ''] ?? 'GitHub returned an unexpected response. Try again.'),
        isGood: false,
        slug,
      }
  }
}

function slugOf(projectId: string | null): string | undefined {
  const stored = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  if (stored === null) return undefined
  const { projectId: from, slug } = JSON.parse(stored) as { readonly projectId: string; readonly slug: string }
  // An error names no project; it belongs to the project of this tab.
  return projectId === null || projectId === from ? slug : undefined
}
