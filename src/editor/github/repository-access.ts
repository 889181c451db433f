import { z } from 'zod'
import { readAnswer } from './api/github-client.ts'
import type { GitHubCall, GitHubClient, Permissions } from './api/github-client.ts'
import { isStatus } from './api/github-error.ts'
import type { Connection, ConnectionStore } from './stores/connection-store.ts'
import type { Installation, InstallationStore } from './stores/installation-store.ts'
import type { ProjectAccess } from '../projects/read-projects.ts'
import { ApiError } from '../../platform/errors.ts'

/** A repository that somebody means, and by which installation it is reached. */
export interface Repository {
  readonly installation: Installation
  readonly owner: string
  readonly repo: string
}

/** The repository of a project. */
interface ConnectedRepository extends Repository {
  readonly connection: Connection
}

/** What somebody has to be allowed at GitHub themselves, whatever the App is allowed there. */
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

/** For how long an answer about a person's rights serves for what only reads, ms. */
const rightsMs = 60_000
const maxKept = 5000

/**
 * Decides who may do what with a repository: the project is the user's, the installation is one that the user has shown
 * to be theirs, the repository belongs to it, and the user has the right at GitHub. The last check keeps members of an
 * organization out of repositories that only the App may see; it is made anew for each change.
 */
export class RepositoryAccess {
  readonly #parts: AccessParts
  readonly #rights = new Map<string, { readonly level: number; readonly until: number }>()

  constructor(parts: AccessParts) {
    this.#parts = parts
  }

  /** @throws ApiError 404 `no-project` where there is none that they may see, 403 `not-your-project` */
  async requireProject(userId: string, projectId: string): Promise<void> {
    const project = await this.#parts.projects.find(projectId, userId)
    if (project === undefined) throw new ApiError(404, 'no-project', 'There is no such project.')
    if (project.ownerId !== userId)
      throw new ApiError(
        403,
        'not-your-project',
        'Only the owner of a project reaches its repository: fork the project to have one of your own.',
      )
  }

  /** The connection of a project, whether it is on or off. @throws ApiError 404 `not-connected`, as `requireProject` */
  async connectionOf(userId: string, projectId: string): Promise<Connection> {
    await this.requireProject(userId, projectId)
    const connection = await this.#parts.connections.ofProject(projectId)
    // A project that changed hands does not bring the rights of who had it before.
    if (connection === undefined || connection.userId !== userId)
      throw new ApiError(404, 'not-connected', 'This project is connected with no repository.')
    return connection
  }

  /** @throws ApiError 409 `connection-off`, 403 `no-installation`, and as `connectionOf` */
  async ofProject(userId: string, projectId: string): Promise<ConnectedRepository> {
    const connection = await this.connectionOf(userId, projectId)
    if (connection.offReason !== null)
      throw new ApiError(
        409,
        'connection-off',
        `The connection with ${connection.owner}/${connection.repo} is off (${connection.offReason}): connect the ` +
          'project again.',
        { details: { reason: connection.offReason } },
      )
    const installation = await this.installationOf(userId, connection.installationId)
    return { connection, installation, owner: connection.owner, repo: connection.repo }
  }

  /** @throws ApiError 403 `no-installation`, 404 `not-on-github` where the owner is not that of the installation */
  async ofInstallation(userId: string, installationId: number, owner: string, repo: string): Promise<Repository> {
    const installation = await this.installationOf(userId, installationId)
    if (installation.accountLogin.toLowerCase() !== owner.toLowerCase())
      throw new ApiError(404, 'not-on-github', `This installation is for repositories of ${installation.accountLogin}.`)
    return { installation, owner, repo }
  }

  /**
   * An installation of the user. @throws ApiError 403 `no-installation` (also for others') or `installation-suspended`
   */
  async installationOf(userId: string, installationId: number): Promise<Installation> {
    const installation = await this.#parts.installations.find(userId, installationId)
    if (installation === undefined)
      throw new ApiError(403, 'no-installation', 'This installation is not one of yours: connect with GitHub first.')
    if (installation.isSuspended)
      throw new ApiError(
        403,
        'installation-suspended',
        `The App is suspended for ${installation.accountLogin}: GitHub has it under Settings, Applications.`,
      )
    return installation
  }

  /**
   * A token for this repository and these permissions alone.
   * @throws ApiError 403 `not-installed`, `no-right` where the person may not do as much there themselves
   */
  async open({ installation, owner, repo }: Repository, right: Right, permissions: Permissions): Promise<GitHubCall> {
    const { github } = this.#parts
    const level = await this.#levelOf(installation, owner, repo, right)
    if (level < needed[right]) {
      throw new ApiError(
        403,
        'no-right',
        `${installation.githubLogin} does not have the right "${right}" for ${owner}/${repo} at GitHub. Ask its ` +
          'owner, or connect as somebody who has it.',
      )
    }
    return github.asInstallation(installation.installationId, permissions, repo)
  }

  async #levelOf(installation: Installation, owner: string, repo: string, right: Right): Promise<number> {
    const repository = `${owner}/${repo}`.toLowerCase()
    const key = `${installation.githubUserId} ${installation.installationId} ${repository}`
    const kept = this.#rights.get(key)
    if (right === 'read' && kept !== undefined && kept.until > performance.now()) return kept.level
    const call = await this.#parts.github.asInstallation(installation.installationId, { metadata: 'read' }, repo)
    const level = await this.#ask(call, installation, owner, repo)
    this.#rights.delete(key)
    this.#rights.set(key, { level, until: performance.now() + rightsMs })
    for (const oldest of this.#rights.keys()) {
      if (this.#rights.size <= maxKept) break
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
      // Somebody else may have taken the name since.
      return user?.id === githubUserId ? (levels[name] ?? 0) : 0
    } catch (error) {
      if (isStatus(error, 404)) return 0
      throw error
    }
  }
}
