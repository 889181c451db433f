import type { Middleware } from 'koa'
import { z } from 'zod'
import { ApiError, RetryableError } from '../platform/errors.ts'
import { documentRoutes } from '../platform/http/openapi.ts'
import type { ApiInfo } from '../platform/http/openapi.ts'
import type { RequestState } from '../platform/http/requests.ts'
import { routesOf } from '../platform/http/route.ts'
import type { Call, Route } from '../platform/http/route.ts'
import { guard } from '../platform/http/router.ts'
import { createHttpServer } from '../platform/http/server.ts'
import type { HttpServer, HttpServerOptions } from '../platform/http/server.ts'
import { clientNetwork } from '../platform/limits/clients.ts'
import { SlidingWindow } from '../platform/limits/sliding-window.ts'
import { editorNetworks } from './editor-network.ts'
import { githubRoutes } from './github/create-github.ts'
import type { GitHub } from './github/create-github.ts'
import { projectRoutes } from './projects/projects-function.ts'
import type { ProjectsFunction } from './projects/projects-function.ts'
import { samplesSchema } from './samples.ts'
import { testRoutes } from './test-runs/test-routes.ts'
import type { TestRuns } from './test-runs/test-routes.ts'

const settingsSchema = z
  .strictObject({
    url: z.string().describe('EDITOR_URL.'),
    lsp_url: z.string().describe('LSP_URL.'),
    networks: z.array(
      z.strictObject({
        network: z.enum(editorNetworks),
        api_url: z.string(),
        is_default: z.boolean(),
        contracts: z.record(z.string(), z.string()).describe('Addresses of core contracts, for `import "Name"`.'),
      }),
    ),
    language_server: z.strictObject({ kind: z.enum(['cli', 'parser']), label: z.string() }),
    tests: z
      .strictObject({ is_on: z.boolean(), reason: z.string().nullable() })
      .describe('Whether `POST /editor/tests` runs tests, or why not.'),
    wallet: z
      .strictObject({
        url: z.string(),
        gotrue_url: z.string(),
        authorize_url: z.string(),
        token_url: z.string(),
        session_url: z.string().describe('Path of the session cookie, here.'),
        client_id: z.string(),
      })
      .nullable()
      .describe('null: sign-in is off, and projects stay in the browser.'),
    github: z.strictObject({ is_on: z.boolean(), install_url: z.string().nullable() }),
    samples: samplesSchema.describe('Sample scripts.'),
    limits: z
      .looseObject({ files: z.int(), file_bytes: z.int(), project_bytes: z.int() })
      .describe('Limits of projects and their paths.'),
  })
  .meta({ id: 'EditorSettings' })
export type EditorSettings = z.output<typeof settingsSchema>

export interface EditorSession {
  readonly routes: readonly Route<unknown>[]
  readonly protect: Middleware<RequestState>
}

export interface EditorParts {
  readonly settings: () => EditorSettings
  /** Undefined if sign-in is off. */
  readonly session?: EditorSession | undefined
  readonly projects: Pick<ProjectsFunction, 'routes' | 'guards' | 'cors'>
  readonly tests?: TestRuns
  /** Undefined: no GitHub App is configured. */
  readonly github: Pick<GitHub, 'routes' | 'guards'> | undefined
  readonly page?: Middleware | undefined
}

interface EditorServices {
  readonly settings: () => EditorSettings
}

const route = routesOf<EditorServices, { settings: undefined }>()

export const editorRoutes: readonly Route<EditorServices>[] = [
  route({
    path: '/health',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Whether the editor runs',
    response: z.strictObject({ status: z.string(), service: z.string() }),
    handler: () => ({ body: { status: 'ok', service: 'editor' } }),
  }),
  route({
    path: '/editor/settings',
    operationId: 'getSettings',
    tag: 'Service',
    summary: 'Public settings for the page of the editor',
    access: 'settings',
    response: settingsSchema,
    handler: (_input, { settings }) => ({ body: settings() }),
  }),
]

export const documentedRoutes: readonly Route[] = [...editorRoutes, ...testRoutes, ...projectRoutes, ...githubRoutes]

const limited = { 429: 'Too many requests. Retry after `Retry-After`.' }
const errorsOfGitHub = {
  401: 'No valid access token; of webhooks: no valid signature.',
  403: 'The project, installation or repository is of another user.',
  404: 'Unknown project, repository, branch or file.',
  409: 'The repository or its connection has changed.',
  422: 'GitHub refuses the change.',
  ...limited,
  502: 'GitHub returned an unexpected response.',
  503: 'No GitHub App is configured, or GitHub is unavailable.',
}

export const editorApiInfo: ApiInfo = {
  title: 'flowfarm editor',
  description: 'Settings, projects and repositories of the editor.',
  sharedErrors: { InternalError: 'Internal error; see the server log.' },
  errorsOf: ({ path }) => (path.startsWith('/github/') ? errorsOfGitHub : path === '/editor/settings' ? limited : {}),
}

export interface EditorServerOptions extends Omit<HttpServerOptions, 'service'> {
  readonly open: (port: number) => Promise<EditorParts>
  readonly settingsPerMinute?: number
}

/**
 * Starts the HTTP side of the editor: settings, projects, repositories and the page.
 * @throws the system error when the port cannot be bound; what `open` throws
 */
export function createEditorServer({ settingsPerMinute = 600, ...options }: EditorServerOptions): Promise<HttpServer> {
  const window = new SlidingWindow({ max: settingsPerMinute })
  const admit = ({ client }: Call): void => {
    const { isAllowed, retryAfterSeconds } = window.take(clientNetwork(client.address))
    if (!isAllowed)
      throw new ApiError(429, 'rate-limited', `Too many requests. Try again in ${retryAfterSeconds} s.`, {
        details: { retryAfterSeconds },
      })
  }
  return createHttpServer<EditorServices>({ ...options, service: 'editor' }, async (port) => {
    const { settings, session, projects, tests, github, page } = await options.open(port)
    return {
      routes: [
        ...editorRoutes,
        ...(session?.routes ?? []),
        ...projects.routes,
        ...(tests?.routes ?? []),
        ...(github?.routes ?? []),
        ...documentRoutes(() => documentedRoutes, editorApiInfo, { prefix: '/editor' }),
      ],
      services: { settings },
      guards: { settings: guard(admit), ...projects.guards, ...tests?.guards, ...github?.guards },
      before: [
        ...(session === undefined ? [] : [session.protect]),
        projects.cors,
        ...(github === undefined ? [withoutGitHub] : []),
      ],
      translate: (thrown) =>
        thrown instanceof RetryableError
          ? new ApiError(503, 'unavailable', 'Temporarily unavailable. Try again in a moment.', { cause: thrown })
          : undefined,
      retrySeconds: 1,
      home: '/',
      page,
    }
  })
}

const withoutGitHub: Middleware<RequestState> = async (context, next) => {
  if (context.path === '/github' || context.path.startsWith('/github/')) {
    throw new ApiError(
      503,
      'no-github',
      'Repositories are not available: no GitHub App is configured (GITHUB_APP_ID and its settings).',
    )
  }
  await next()
}
