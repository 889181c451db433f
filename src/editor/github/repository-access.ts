import { z } from 'zod'
import { readAnswer } from './api/github-client.ts'
import type { GitHubCall, GitHubClient, Permissions } from './api/github-client.ts'
import { isStatus } from './api/github-error.ts'
import type { Connection, ConnectionStore } from './stores/connection-store.ts'
import type { Installation, InstallationStore } from './stores/installation-store.ts'
import type { ProjectAccess } from '../projects/read-projects.ts'
import { ApiError } from '../../platform/errors.ts'

export interface Repository {
  readonly installation: Installation
  readonly owner: string
  readonly repo: string
}

interface ConnectedRepository extends Repository {
  readonly connection: Connection
}

type Right = 'read' | 'write' | 'admin'

interface AccessParts {
  readonly projects: ProjectAccess
  readonly github: GitHubClient
  readonly installations: InstallationStore
  readonly connections: ConnectionStore
}

const levels: Readonly<Record<string, number>> = { none: 0, read: 1, write: 2, admin: 3 }
const needed: Readonly<Record<Right, number>> = { read: 1, write: 2, admin: 3 }
const permission = z.object({ permission: z.string(), user: z.object({ id: z.number().int() }).nullish() })

/** Permissions are cached for reads, ms. */
const rightsMs = 60_000
const maxCached = 5000

/**
 * The user owns the project, has proved access to the installation, the repository belongs to the
 * installation, and the user has the permission on GitHub. The last check protects repositories
 * that only the App can see; it is repeated for each change.
 */
export class RepositoryAccess {
  readonly #parts: AccessParts
  readonly #rights = new Map<string, { readonly level: number; readonly until: number }>()

  constructor(parts: AccessParts) {
    this.#parts = parts
  }

  /** @throws ApiError 404 `no-project` if missing or invisible, 403 `not-your-project` */
  async requireProject(userId: string, projectId: string): Promise<void> {
    const project = await this.#parts.projects.find(projectId, userId)
    if (project === undefined) throw new ApiError(404, 'no-project', 'The project does not exist.')
    if (project.ownerId !== userId)
      throw new ApiError(
        403,
        'not-your-project',
        'Only the owner of a project can access its repository. Fork the project to connect your own.',
      )
  }

  /** @throws ApiError 404 `not-connected` */
  async connectionOf(userId: string, projectId: string): Promise<Connection> {
    await this.requireProject(userId, projectId)
    const connection = await this.#parts.connections.ofProject(projectId)
    // A new owner of a project does not inherit the connection.
    if (connection === undefined || connection.userId !== userId)
      throw new ApiError(404, 'not-connected', 'The project is not connected with a repository.')
    return connection
  }

  /** @throws ApiError 409 `connection-off`, 403 `no-installation` */
  async ofProject(userId: string, projectId: string): Promise<ConnectedRepository> {
    const connection = await this.connectionOf(userId, projectId)
    if (connection.offReason !== null)
      throw new ApiError(
        409,
        'connection-off',
        `The connection with ${connection.owner}/${connection.repo} is off (${connection.offReason}). Connect the ` +
          'project again.',
        { details: { reason: connection.offReason } },
      )
    const installation = await this.installationOf(userId, connection.installationId)
    return { connection, installation, owner: connection.owner, repo: connection.repo }
  }

  /** @throws ApiError 403 `no-installation`, 404 `not-on-github` */
  async ofInstallation(userId: string, installationId: number, owner: string, repo: string): Promise<Repository> {
    const installation = await this.installationOf(userId, installationId)
    if (installation.accountLogin.toLowerCase() !== owner.toLowerCase())
      throw new ApiError(
        404,
        'not-on-github',
        `This installation only covers repositories of ${installation.accountLogin}.`,
      )
    return { installation, owner, repo }
  }

  /** @throws ApiError 403 `no-installation` or `installation-suspended` */
  async installationOf(userId: string, installationId: number): Promise<Installation> {
    const installation = await this.#parts.installations.find(userId, installationId)
    if (installation === undefined)
      throw new ApiError(403, 'no-installation', 'You have no access to this installation. Connect with GitHub first.')
    if (installation.isSuspended)
      throw new ApiError(
        403,
        'installation-suspended',
        `The App is suspended for ${installation.accountLogin}. Resume it on GitHub under Settings, Applications.`,
      )
    return installation
  }

  /**
   * The token covers this repository and these permissions only. @throws ApiError 403
   * `not-installed`, `no-right` if the user lacks the permission
   */
  async open({ installation, owner, repo }: Repository, right: Right, permissions: Permissions): Promise<GitHubCall> {
    const { github } = this.#parts
    const level = await this.#levelOf(installation, owner, repo, right)
    if (level < needed[right]) {
      throw new ApiError(
        403,
        'no-right',
        `${installation.githubLogin} does not have the permission "${right}" for ${owner}/${repo} on GitHub. Ask its ` +
          'owner, or connect with another account.',
      )
    }
    return github.asInstallation(installation.installationId, permissions, repo)
  }

  async #levelOf(installation: Installation, owner: string, repo: string, right: Right): Promise<number> {
    const repository = `${owner}/${repo}`.toLowerCase()
    const key = `${installation.githubUserId} ${installation.installationId} ${repository}`
    const cached = this.#rights.get(key)
    if (right === 'read' && cached !== undefined && cached.until > performance.now()) return cached.level
    const call = await this.#parts.github.asInstallation(installation.installationId, { metadata: 'read' }, repo)
    const level = await this.#ask(call, installation, owner, repo)
    this.#rights.delete(key)
    this.#rights.set(key, { level, until: performance.now() + rightsMs })
    for (const oldest of this.#rights.keys()) {
      if (this.#rights.size <= maxCached) break
      this.#rights.delete(oldest)
    }
    return level
  }

  async #ask(
    call: GitHubCall,
    { githubUserId, githubLogin }: Installation,
    owner: string,
    repo: string,
  ): Promise<number> {
    try {
      const { permission: name, user } = readAnswer(
        permission,
        await call('GET /repos/{owner}/{repo}/collaborators/{username}/permission', {
          owner,
          repo,
          username: githubLogin,
        }),
      )
      // Another user may have taken the name.
      return user?.id === githubUserId ? (levels[name] ?? 0) : 0
    } catch (error) {
      if (isStatus(error, 404)) return 0
      throw error
    }
  }
}
