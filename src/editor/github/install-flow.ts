import { z } from 'zod'
import { allPages, readAnswer } from './api/github-client.ts'
import type { GitHubCall, GitHubClient, GitHubApp } from './api/github-client.ts'
import { isStatus } from './api/github-error.ts'
import type { InstallStates, InstallState, Installation, InstallationStore } from './stores/installation-store.ts'
import { ApiError } from '../../platform/errors.ts'

interface InstallParts {
  readonly app: Pick<GitHubApp, 'url' | 'slug' | 'clientId'>
  readonly github: GitHubClient
  readonly states: InstallStates
  readonly installations: InstallationStore
  readonly callbackUrl: string
}

interface InstallBegun {
  readonly url: string
  /** For an App that is already installed. */
  readonly authorizeUrl: string
  readonly state: string
  /** Cookie of the browser. */
  readonly browser: string
}

const installation = z.object({
  id: z.number().int().positive(),
  suspended_at: z.string().nullish(),
  account: z.object({ id: z.number().int().positive(), login: z.string(), type: z.string().optional() }),
})
const installations = z.object({ installations: z.array(installation) })
const repositories = z.object({ repositories: z.array(z.object({ id: z.number().int().positive() })) })
const githubUser = z.object({ id: z.number().int().positive(), login: z.string() })

/** Pages of 100 repositories. Access to the rest is checked on use only. */
const maxPages = 30

/**
 * The installation id in the callback URL is ignored, because anyone can write it. The user token
 * is not stored.
 */
export class InstallFlow {
  readonly #parts: InstallParts

  constructor(parts: InstallParts) {
    this.#parts = parts
  }

  async begin(from: InstallState): Promise<InstallBegun> {
    const { app, states, callbackUrl } = this.#parts
    const { state, browser } = await states.begin(from)
    const base = app.url.replace(/\/$/, '')
    const authorize = new URLSearchParams({ client_id: app.clientId, state, redirect_uri: callbackUrl })
    return {
      state,
      browser,
      url: `${base}/apps/${encodeURIComponent(app.slug)}/installations/new?state=${encodeURIComponent(state)}`,
      authorizeUrl: `${base}/login/oauth/authorize?${authorize.toString()}`,
    }
  }

  /**
   * @param code undefined if an owner must approve the installation. @throws ApiError 400
   * `bad-state` if this browser did not start it or has finished it; 403 `github-code`
   */
  async end(
    state: string,
    browser: string,
    code: string | undefined,
  ): Promise<InstallState & { readonly count: number | undefined }> {
    const { states, github, installations: store } = this.#parts
    const started = await states.end(state, browser)
    if (started === undefined)
      throw new ApiError(
        400,
        'bad-state',
        'The installation was started in another browser, has expired or was already finished. Start again in ' +
          'the editor.',
      )
    if (code === undefined) return { ...started, count: undefined }
    const call = github.asUser(await github.tradeCode(code))
    const { id, login } = readAnswer(githubUser, await call('GET /user'))
    const found = await this.#installationsOf(call, id, login)
    await store.replace(started.userId, id, found)
    return { ...started, count: found.length }
  }

  async #installationsOf(
    call: GitHubCall,
    githubUserId: number,
    githubLogin: string,
  ): Promise<readonly Installation[]> {
    const all = await allPages(
      call,
      'GET /user/installations',
      {},
      (data) => readAnswer(installations, data).installations,
      maxPages,
    )
    const found: Installation[] = []
    for (const { id, account, suspended_at: suspended } of all) {
      const isSuspended = suspended !== null && suspended !== undefined
      const repositoryIds = isSuspended ? [] : await this.#repositoriesOf(call, id)
      found.push({
        installationId: id,
        githubUserId,
        githubLogin,
        accountId: account.id,
        accountLogin: account.login,
        accountType: account.type ?? 'User',
        repositoryIds,
        isSuspended,
      })
    }
    return found
  }

  async #repositoriesOf(call: GitHubCall, installationId: number): Promise<number[]> {
    try {
      const parameters = { installation_id: installationId }
      return (
        await allPages(
          call,
          'GET /user/installations/{installation_id}/repositories',
          parameters,
          (data) => readAnswer(repositories, data).repositories,
          maxPages,
        )
      ).map(({ id }) => id)
    } catch (error) {
      if (isStatus(error, 403, 404)) return []
      throw error
    }
  }
}
