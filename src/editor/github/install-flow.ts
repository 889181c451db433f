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
  /** Where GitHub sends people back to. */
  readonly callbackUrl: string
}

interface InstallBegun {
  /** Where the App is installed, or its repositories are chosen. */
  readonly url: string
  /** Where somebody shows who they are at GitHub, when the App is installed already. */
  readonly authorizeUrl: string
  readonly state: string
  /** What the browser keeps until it is back. */
  readonly browser: string
}

const installation = z.object({
  id: z.number().int().positive(),
  suspended_at: z.string().nullish(),
  account: z.object({ id: z.number().int().positive(), login: z.string(), type: z.string().optional() }),
})
const installations = z.object({ installations: z.array(installation) })
const repositories = z.object({ repositories: z.array(z.object({ id: z.number().int().positive() })) })
const person = z.object({ id: z.number().int().positive(), login: z.string() })

/** Pages of a hundred: beyond that repositories are found by their name alone, and still checked when they are used. */
const maxPages = 30

/**
 * Installs the App and finds out which installations are the user's: GitHub's code is traded for a user token, which is
 * not kept. The installation id in the callback's URL is ignored, since anyone can write it.
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
   * @param code of GitHub; undefined where the App was asked for and somebody else has to agree
   * @throws ApiError 400 `bad-state` where this browser did not begin it, or has ended it; 403 `github-code`
   */
  async end(
    state: string,
    browser: string,
    code: string | undefined,
  ): Promise<InstallState & { readonly count: number | undefined }> {
    const { states, github, installations: store } = this.#parts
    const begun = await states.end(state, browser)
    if (begun === undefined)
      throw new ApiError(
        400,
        'bad-state',
        'This was not begun in this browser, or too long ago, or has ended already: begin again in the editor.',
      )
    if (code === undefined) return { ...begun, count: undefined }
    const call = github.asUser(await github.tradeCode(code))
    const { id, login } = readAnswer(person, await call('GET /user'))
    const found = await this.#installationsOf(call, id, login)
    await store.replace(begun.userId, id, found)
    return { ...begun, count: found.length }
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
      // Removed or suspended since the list was made.
      if (isStatus(error, 403, 404)) return []
      throw error
    }
  }
}
