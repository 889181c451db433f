import { App } from '@octokit/app'
import { z } from 'zod'
import { isStatus, toApiError } from './github-error.ts'
import { ApiError, FatalError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'
import { responseText } from '../../../platform/outbound/response-text.ts'

export interface GitHubApp {
  readonly appId: string
  /** PEM; line breaks may be escaped as `\n`. */
  readonly privateKey: string
  readonly slug: string
  readonly clientId: string
  readonly clientSecret: string
  /** Undefined: webhooks and workflow reports are rejected. */
  readonly webhookSecret: string | undefined
  readonly url: string
  readonly apiUrl: string
}

export type Permissions = Readonly<
  Partial<Record<'actions' | 'contents' | 'metadata' | 'pull_requests' | 'secrets' | 'workflows', 'read' | 'write'>>
>

/**
 * `{name}` in the route is encoded; other parameters form the query or body. @returns the unchecked
 * response. @throws ApiError with GitHub's status in `details.githubStatus`
 */
export type GitHubCall = (route: string, parameters?: Readonly<Record<string, unknown>>) => Promise<unknown>

export interface GitHubClient {
  /** Calls for one or all repositories of an installation. @throws ApiError 403 `not-installed` */
  asInstallation(installationId: number, permissions: Permissions, repository?: string): Promise<GitHubCall>
  asUser(token: string): GitHubCall
  /** @throws ApiError 403 `github-code` */
  tradeCode(code: string): Promise<string>
}

type OctokitClass = NonNullable<ConstructorParameters<typeof App>[0]['Octokit']>

/**
 * Installation tokens are cached for 59 of their 60 minutes. @throws FatalError `bad-github-key`
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
      'GITHUB_APP_PRIVATE_KEY is not a private key. Set the PEM file from GitHub, with line breaks escaped as \\n.',
    )
  }
  const note = (message: string): void => log.debug({ message }, 'Octokit message')
  const quiet = { debug: () => undefined, info: () => undefined, warn: note, error: note }
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
      // GitHub reports an invalid code with status 200.
      if (!given.success) throw new ApiError(403, 'github-code', 'GitHub rejected the code. Start again.')
      return given.data.access_token
    },
  }
}

/**
 * GitHub rejects a token if the installation was deleted or suspended, or lacks a permission or the
 * repository.
 */
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
    'The App is not installed for this repository, or lacks a permission. Check it on GitHub, ' +
      'under Settings, Applications.',
    { details: error.details },
  )
}

/**
 * Configured hosts only, no redirects, with a timeout and maximum size. @throws ApiError 409
 * `repository-moved`, 502 `github-too-long`, 503 `github-unavailable`
 */
export function boundedFetch(
  origins: readonly string[],
  {
    connectTimeoutMs = 15_000,
    maxBytes = 12 * 1024 * 1024,
  }: { readonly connectTimeoutMs?: number; readonly maxBytes?: number } = {},
): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (!origins.includes(url.origin))
      throw new ApiError(500, 'internal-error', 'Blocked a call to a host other than GitHub.')
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(connectTimeoutMs) })
      if (response.status >= 300 && response.status < 400 && response.status !== 304) {
        await response.body?.cancel()
        throw new ApiError(409, 'repository-moved', 'The repository was renamed on GitHub. Connect it again.')
      }
      if ([204, 205, 304].includes(response.status)) return response
      const text = await responseText(
        response,
        maxBytes,
        () => new ApiError(502, 'github-too-long', `GitHub's response is too large (limit ${maxBytes} bytes).`),
      )
      return new Response(text, { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError(503, 'github-unavailable', 'GitHub is unavailable. Try again in a moment.', {
        cause: error,
        details: { retryAfterSeconds: 5 },
      })
    }
  }
}

/** @throws ApiError 502 `github-answer` for an undocumented response */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data)
  if (result.success) return result.data
  throw new ApiError(502, 'github-answer', 'GitHub returned an invalid response.', {
    details: { at: result.error.issues[0]?.path.join('.') ?? '' },
  })
}

const perPage = 100

/** @param read returns the items of a response */
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
