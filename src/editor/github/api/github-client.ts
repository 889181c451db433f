import { App } from '@octokit/app'
import { z } from 'zod'
import { isStatus, toApiError } from './github-error.ts'
import { ApiError, FatalError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'
import { responseText } from '../../../platform/outbound/response-text.ts'

/** The GitHub App by which projects reach repositories, as its operator has registered it. */
export interface GitHubApp {
  /** GITHUB_APP_ID. */
  readonly appId: string
  /** GITHUB_APP_PRIVATE_KEY, PEM; line breaks may be written `\n`. */
  readonly privateKey: string
  /** GITHUB_APP_SLUG. */
  readonly slug: string
  /** GITHUB_APP_CLIENT_ID. */
  readonly clientId: string
  /** GITHUB_APP_CLIENT_SECRET. */
  readonly clientSecret: string
  /** GITHUB_APP_WEBHOOK_SECRET. Undefined: neither webhooks nor reports of workflows are taken. */
  readonly webhookSecret: string | undefined
  /** GITHUB_URL. */
  readonly url: string
  /** GITHUB_API_URL. */
  readonly apiUrl: string
}

/** Permissions of a token, in GitHub's names. Tokens get fewer than the App has. */
export type Permissions = Readonly<
  Partial<Record<'actions' | 'contents' | 'metadata' | 'pull_requests' | 'secrets' | 'workflows', 'read' | 'write'>>
>

/**
 * Calls GitHub with one token. `{name}` in the route is encoded; other parameters are the query or the body.
 * @returns the unchecked response
 * @throws ApiError with GitHub's status in `details.githubStatus`
 */
export type GitHubCall = (route: string, parameters?: Readonly<Record<string, unknown>>) => Promise<unknown>

export interface GitHubClient {
  /** As an installation, with a token for one or all repositories. @throws ApiError 403 `not-installed` */
  asInstallation(installationId: number, permissions: Permissions, repository?: string): Promise<GitHubCall>
  asUser(token: string): GitHubCall
  /** Trades the code that somebody has come back with for a token of theirs. @throws ApiError 403 `github-code` */
  tradeCode(code: string): Promise<string>
}

type OctokitClass = NonNullable<ConstructorParameters<typeof App>[0]['Octokit']>

/**
 * GitHub as the App and as its users. Installation tokens are kept for 59 of their 60 minutes, in memory only.
 * @throws FatalError `bad-github-key`
 */
export function createGitHubClient(
  settings: GitHubApp,
  {
    log,
    fetch = boundedFetch([new URL(settings.url).origin, new URL(settings.apiUrl).origin]),
  }: { readonly log: Logger; readonly fetch?: typeof globalThis.fetch },
): GitHubClient {
  const { appId, clientId, clientSecret } = settings
  const privateKey = settings.privateKey
    .replaceAll(String.raw`\n`, '\n')
    .replaceAll('\r', '')
    .trim()
  if (!/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\s\S]+\n-----END [A-Z ]*PRIVATE KEY-----$/.test(privateKey)) {
    throw new FatalError(
      'bad-github-key',
      'GITHUB_APP_PRIVATE_KEY is no private key: set the PEM file that GitHub gave, with its line breaks written \\n.',
    )
  }
  const note = (message: string): void => log.debug({ message }, 'the library of GitHub says something')
  const quiet = { debug: () => undefined, info: () => undefined, warn: note, error: note }
  // The library takes its addresses from a class, which it makes known in this way alone.
  const base = new App({ appId, privateKey }).octokit.constructor as OctokitClass
  const Octokit = base.defaults({
    baseUrl: settings.apiUrl.replace(/\/$/, ''),
    userAgent: 'flowfarm',
    request: { fetch },
    log: quiet,
  })
  const { octokit } = new App({ appId, privateKey, Octokit, log: quiet })
  const anonymous = new Octokit()

  const withToken =
    (token: string): GitHubCall =>
    async (route, parameters = {}) => {
      try {
        const { data } = (await anonymous.request(route, {
          ...parameters,
          headers: { authorization: `token ${token}`, 'x-github-api-version': '2022-11-28' },
        })) as { readonly data: unknown }
        return data
      } catch (error) {
        throw toApiError(error)
      }
    }
  return {
    asInstallation: async (installationId, permissions, repository) => {
      const wanted = {
        type: 'installation',
        installationId,
        permissions,
        ...(repository === undefined ? {} : { repositoryNames: [repository] }),
      }
      const call = async (refresh: boolean): Promise<GitHubCall> => {
        try {
          const { token } = (await octokit.auth({ ...wanted, refresh })) as { readonly token: string }
          return withToken(token)
        } catch (error) {
          throw notInstalled(toApiError(error))
        }
      }
      const first = await call(false)
      return async (route, parameters) => {
        try {
          return await first(route, parameters)
        } catch (error) {
          // It was kept, and has been revoked meanwhile: nothing was done with it.
          if (!isStatus(error, 401)) throw error
          return (await call(true))(route, parameters)
        }
      }
    },
    asUser: withToken,
    tradeCode: async (code) => {
      const answer = await anonymous
        .request('POST /login/oauth/access_token', {
          baseUrl: settings.url.replace(/\/$/, ''),
          headers: { accept: 'application/json' },
          client_id: clientId,
          client_secret: clientSecret,
          code,
        })
        .catch((error: unknown) => {
          throw toApiError(error)
        })
      const given = z.object({ access_token: z.string().min(1) }).safeParse(answer.data)
      // GitHub says that a code is no good with status 200.
      if (!given.success) throw new ApiError(403, 'github-code', 'GitHub did not take its code back: begin again.')
      return given.data.access_token
    },
  }
}

/** A token is refused where the installation has gone, is suspended, lacks a permission, or has not that repository. */
function notInstalled(error: unknown): unknown {
  if (
    !(error instanceof ApiError) ||
    ![403, 404, 422].includes(Number(error.details['githubStatus'])) ||
    error.status === 429
  )
    return error
  return new ApiError(
    403,
    'not-installed',
    'The App is not installed for this repository, or lacks a permission that this needs. Look at it on GitHub, ' +
      'under Settings, Applications.',
    { details: error.details },
  )
}

/**
 * `fetch` for configured hosts only: no redirects, a timeout and a maximum size.
 * @param origins of GITHUB_URL and GITHUB_API_URL
 * @throws ApiError 409 `repository-moved`, 502 `github-too-long`, 503 `github-unavailable`
 */
export function boundedFetch(
  origins: readonly string[],
  {
    patienceMs = 15_000,
    maxBytes = 12 * 1024 * 1024,
  }: { readonly patienceMs?: number; readonly maxBytes?: number } = {},
): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (!origins.includes(url.origin))
      throw new ApiError(500, 'internal-error', 'A call was to go to a host that is not GitHub.')
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
      if (response.status >= 300 && response.status < 400 && response.status !== 304) {
        await response.body?.cancel()
        throw new ApiError(
          409,
          'repository-moved',
          'GitHub has this repository under another name now: connect it again.',
        )
      }
      if ([204, 205, 304].includes(response.status)) return response
      const text = await responseText(
        response,
        maxBytes,
        () => new ApiError(502, 'github-too-long', `GitHub's answer has more than ${maxBytes} bytes.`),
      )
      return new Response(text, { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError(503, 'github-unavailable', 'GitHub does not answer. Nothing is lost: try again in a moment.', {
        cause: error,
        details: { retryAfterSeconds: 5 },
      })
    }
  }
}

/** Checks an answer of GitHub. @throws ApiError 502 `github-answer` where it is not what its documentation says */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data)
  if (result.success) return result.data
  throw new ApiError(502, 'github-answer', 'GitHub gave an answer that cannot be read.', {
    details: { at: result.error.issues[0]?.path.join('.') ?? '' },
  })
}

const perPage = 100

/**
 * All pages of a list, or as many as are allowed.
 * @param read takes the items out of an answer
 */
export async function allPages<Item>(
  call: GitHubCall,
  route: string,
  parameters: Readonly<Record<string, unknown>>,
  read: (data: unknown) => readonly Item[],
  maxPages = 20,
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; page <= maxPages; page++) {
    const found = read(await call(route, { ...parameters, per_page: perPage, page }))
    items.push(...found)
    if (found.length < perPage) break
  }
  return items
}
