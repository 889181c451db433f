import type { IncomingMessage } from 'node:http'
import { constants } from 'node:zlib'
import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import type { EditorNetwork } from './editor-network.ts'
import type { Client } from '../platform/limits/clients.ts'
import { clientNetwork } from '../platform/limits/clients.ts'
import { ApiError, RetryableError } from '../platform/errors.ts'
import { apiSecurityHeaders } from '../platform/http/server.ts'
import { createOpeningServer } from '../platform/http/opening-server.ts'
import type { OpeningServer } from '../platform/http/opening-server.ts'
import type { RequestState } from '../platform/http/requests.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { SlidingWindow } from '../platform/limits/sliding-window.ts'

/** What a page has to know before anybody has signed in; the names are those of its JSON. */
export interface EditorSettings {
  /** EDITOR_URL. */
  readonly url: string
  /** LSP_URL. */
  readonly lsp_url: string
  readonly networks: readonly {
    readonly network: EditorNetwork
    readonly api_url: string
    readonly is_default: boolean
  }[]
  readonly language_server: { readonly kind: string; readonly label: string }
  /** Null: nobody can sign in, and projects stay in the browser. */
  readonly wallet: {
    readonly url: string
    readonly gotrue_url: string
    /** The page of the wallet that asks whether to sign in, and where its code is traded for a session. */
    readonly authorize_url: string
    readonly token_url: string
    /** Of the cookie with the session: a path here. */
    readonly session_url: string
    readonly client_id: string
  } | null
  readonly github: { readonly is_on: boolean; readonly install_url: string | null }
  /** Scripts to begin with. */
  readonly samples?: readonly unknown[]
  readonly limits: Readonly<Record<string, unknown>>
}

/** What the editor's server is put together of. */
export interface EditorParts {
  readonly settings: () => EditorSettings
  /** Answers `/session`. Undefined: nobody can sign in. */
  readonly session?: Middleware<RequestState> | undefined
  /** Answers `/functions/v1/projects`. */
  readonly projects: Middleware<RequestState>
  /** Answers what is below `/github`. Undefined: no App is set. */
  readonly github: Middleware<RequestState> | undefined
  /** Answers the paths of the page and its files. Default: there is none. */
  readonly page?: Middleware | undefined
}

export interface EditorServerOptions {
  /** Puts the parts together when the port is known, which links and origins need. */
  readonly open: (port: number) => Promise<EditorParts>
  readonly clientOf: (request: IncomingMessage) => Client
  readonly log: Logger
  readonly metrics: Metrics
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Questions for the settings by one client in a minute. Default 600. */
  readonly settingsPerMinute?: number
  /** How long `close` waits for what is being answered, ms. Default 3,000. */
  readonly closeGraceMs?: number
}

/**
 * Starts the HTTP side of the editor: its settings, projects, repositories and the page.
 * @throws what the system says when the port cannot be bound; what `open` throws
 */
export function createEditorServer(options: EditorServerOptions): Promise<OpeningServer> {
  return createOpeningServer({
    ...options,
    service: 'editor',
    open: async (port) => handlers(await options.open(port), options),
    translate: (thrown) => {
      if (!(thrown instanceof RetryableError)) return undefined
      return new ApiError(503, 'unavailable', 'This does not work at the moment; try again.', {
        cause: thrown,
        details: { retryAfterSeconds: 1 },
      })
    },
  })
}

function handlers(
  { settings, session, projects, github, page }: EditorParts,
  { clientOf, settingsPerMinute = 600 }: EditorServerOptions,
): readonly Middleware<RequestState>[] {
  const window = new SlidingWindow({ max: settingsPerMinute })
  const own = new Router<RequestState>()
  own.get('/health', (context) => {
    context.state.route = '/health'
    context.body = { status: 'ok', service: 'editor' }
  })
  own.get('/editor/settings', (context) => {
    context.state.route = '/editor/settings'
    const { isAllowed, retryAfterSeconds } = window.take(clientNetwork(clientOf(context.req).address))
    if (!isAllowed)
      throw new ApiError(429, 'rate-limited', `That was too often; try again in ${retryAfterSeconds} s.`, {
        details: { retryAfterSeconds },
      })
    context.set('Cache-Control', 'no-store')
    context.body = settings()
  })
  return [
    // Pages have headers of their own.
    async (context, next) => {
      context.set(apiSecurityHeaders)
      await next()
    },
    compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } }),
    // The router adds what it needs to the context by itself.
    own.routes() as unknown as Middleware<RequestState>,
    ...(session === undefined ? [] : [session]),
    projects,
    github ?? withoutGitHub,
    ...(page === undefined ? [] : [page as Middleware<RequestState>]),
  ]
}

/** Says why there are no repositories, in place of a page for each path. */
const withoutGitHub: Middleware<RequestState> = async (context, next) => {
  if (context.path === '/github' || context.path.startsWith('/github/')) {
    throw new ApiError(
      503,
      'no-github',
      'There are no repositories here: GITHUB_APP_ID and what goes with it are not set.',
    )
  }
  await next()
}
