import { addressList, clientReader, loopbackNetworks } from '../platform/limits/clients.ts'
import { createEditorServer } from './editor-server.ts'
import { cannotListen } from '../platform/http/cannot-listen.ts'
import type { ServiceContext } from '../platform/service.ts'
import { applicationsOf } from '../platform/pages/applications.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { createEditorPage } from './page.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'
import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { editorNetworks } from './editor-network.ts'
import { createGitHub } from './github/create-github.ts'
import { createDeployFeed } from './github/deploy-feed.ts'
import type { EditorParts, EditorSession, EditorSettings } from './editor-server.ts'
import { createImportWorkspaces } from './imports/create-import-workspaces.ts'
import { findLanguageServer } from './language-server/find-language-server.ts'
import { createNodeContracts } from './imports/account-cache.ts'
import type { LanguageServerProgram } from './language-server/find-language-server.ts'
import { createLspServer } from './lsp/lsp-server.ts'
import { createProjectAccess } from './projects/read-projects.ts'
import { projectLimits } from './projects/project-quotas.ts'
import { createProjectsFunction } from './projects/projects-function.ts'
import type { Authenticate, LockUser } from '../platform/auth/authenticate.ts'
import type { Client } from '../platform/limits/clients.ts'
import { connectionLimits, createPool, logIdleErrors } from '../platform/db/pool.ts'
import type { EditorConfig } from './settings.ts'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { refuseDnsRebinding } from '../platform/http/guards.ts'
import { channelNames, mayUseChannel, editorUrl, checkEditorUrl, editorWarnings, readGitHubApp } from './settings.ts'
import { readSamples } from './samples.ts'
import { findTestProgram } from './test-runs/run-tests.ts'
import { createTestRoutes } from './test-runs/test-routes.ts'
import { openEditorNodes } from './nodes.ts'
import type { EditorNodes } from './nodes.ts'

export async function startEditor(context: ServiceContext<EditorConfig>, openSignIn: OpenEditorSignIn): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'editor' })
  const pages = createDashboardPages({
    page: 'editor',
    log,
    build: pageBuildOf(context),
    applications: applicationsOf(context, 'editor'),
  })
  lifecycle.onStop('editor page', () => pages.stop())
  const clientOf = clientReader(addressList([...config.TRUSTED_PROXIES, ...loopbackNetworks]))
  let opened: Awaited<ReturnType<typeof openEditor>> | undefined
  const server = await createEditorServer({
    clientOf,
    log,
    metrics,
    host: config.HOST,
    port: config.HTTP_PORT,
    open: async (port) => {
      shared.editorPort = port
      opened = await openEditor(context, openSignIn, {
        port,
        clientOf,
        log,
        page: (settings) => createEditorPage(pages, settings),
      })
      return opened
    },
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'HTTP_PORT', port: config.HTTP_PORT, host: config.HOST })
  })
  lifecycle.onStop('editor', () => server.close())
  log.info(
    { url: opened?.url, port: server.port, channel: opened?.lspUrl, languageServer: opened?.languageServer.label },
    'Editor listening',
  )
}

export interface EditorSignIn {
  readonly authenticate: Authenticate
  readonly lockUser: LockUser
  /** Issued by the wallet. */
  readonly session: EditorSession
  readonly wallet: NonNullable<EditorSettings['wallet']>
}

/** @param needs.editor `editorUrl` */
export type OpenEditorSignIn = (needs: { readonly pool: pg.Pool; readonly editor: string }) => Promise<EditorSignIn>

interface OpenEditorOptions {
  readonly port: number
  readonly clientOf: (request: IncomingMessage) => Client
  readonly log: Logger
  readonly page: (settings: () => EditorSettings) => Middleware
}

interface OpenedEditor extends EditorParts {
  readonly url: string
  readonly lspUrl: string
  readonly languageServer: LanguageServerProgram
}

const poolSize = 10
const pruneEveryMs = 3_600_000

/** Everything opened here closes with the process. @throws FatalError for invalid settings */
export async function openEditor(
  context: ServiceContext<EditorConfig>,
  openSignIn: OpenEditorSignIn,
  { port, clientOf, log, page }: OpenEditorOptions,
): Promise<OpenedEditor> {
  const { config, databaseUrl, lifecycle } = context
  checkEditorUrl(config)
  for (const warning of editorWarnings(config)) log.warn(warning)
  const url = editorUrl(config, port)
  const { origin } = new URL(url)
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: poolSize,
    applicationName: 'flowfarm editor',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections: flowfarm editor', () => pool.end())
  const { authenticate, lockUser, wallet, session } = await openSignIn({ pool, editor: url })
  const quotas = {
    projects: config.PROJECTS_PER_USER,
    files: config.PROJECT_FILES,
    fileBytes: config.PROJECT_FILE_BYTES,
    projectBytes: config.PROJECT_BYTES,
  }
  const projects = createProjectsFunction({
    pool,
    authenticate,
    lockUser,
    quotas,
    allowsOrigin: (from) => from === origin,
  })
  const access = createProjectAccess(pool)
  const app = readGitHubApp(config)
  const github =
    app === undefined
      ? undefined
      : createGitHub({ app, pool, log, authenticate, lockUser, projects: access, editorUrl: url })
  const deploys = await createDeployFeed({ pool, databaseUrl, projects: access, authenticate, log })
  lifecycle.onStop('deployment feed', () => deploys.close())
  const samples = await readSamples(config)
  const tests = await findTestProgram({ isOn: config.EDITOR_TESTS, command: config.CHAIN_CLI_COMMAND, log })
  const nodes = openEditorNodes(context, log)
  const { program, lspPort } = await openChannel(context, { log, clientOf, nodes, deploys })
  pruneNowAndThen(context, log, async () => {
    await projects.prune()
    await github?.prune()
  })
  const lspUrl = config.LSP_URL ?? lspAddress(url, lspPort)
  const settings = (): EditorSettings => ({
    url,
    lsp_url: lspUrl,
    networks: [...nodes.networks()],
    language_server: { kind: program.kind, label: program.label },
    tests: { is_on: tests.isOn, reason: tests.isOn ? null : tests.reason },
    wallet,
    github: { is_on: github !== undefined, install_url: github?.installUrl ?? null },
    samples: [...samples],
    limits: projectLimits(quotas),
  })
  return {
    url,
    lspUrl,
    languageServer: program,
    settings,
    session,
    projects,
    tests: createTestRoutes({ program: tests, authenticate }),
    github,
    page: page(settings),
  }
}

interface ChannelNeeds extends Pick<OpenEditorOptions, 'log' | 'clientOf'> {
  readonly nodes: EditorNodes
  readonly deploys: Awaited<ReturnType<typeof createDeployFeed>>
}

async function openChannel(
  { config, metrics, lifecycle, shared }: ServiceContext<EditorConfig>,
  { log, clientOf, nodes, deploys }: ChannelNeeds,
): Promise<{ program: LanguageServerProgram; lspPort: number }> {
  const program = await findLanguageServer({
    choice: config.EDITOR_LANGUAGE_SERVER,
    command: config.CHAIN_CLI_COMMAND,
    log,
  })
  const workspaces = await createImportWorkspaces({
    root: config.EDITOR_FOLDER,
    source: createNodeContracts({ nodes: nodes.readers, log }),
    log,
  })
  lifecycle.onStop('language server folders', () => workspaces.close())
  const channel = await createLspServer({
    host: config.HOST,
    port: config.LSP_PORT,
    log,
    metrics,
    clientOf,
    program,
    workspaces,
    networks: editorNetworks,
    offered: () => nodes.networks().map(({ network }) => network),
    deploys,
    admit: (request) =>
      refuseDnsRebinding(
        request,
        channelNames(config),
        addressList(config.TRUSTED_PROXIES),
        'or set EDITOR_URL and LSP_URL to its names',
      ),
    allowsOrigin: (origin, forHost) => mayUseChannel(config, origin, forHost),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'LSP_PORT', port: config.LSP_PORT, host: config.HOST })
  })
  shared.lspPort = channel.port
  lifecycle.onStop('language server channel', () => channel.close())
  return { program, lspPort: channel.port }
}

function pruneNowAndThen(
  { lifecycle }: Pick<ServiceContext<EditorConfig>, 'lifecycle'>,
  log: Logger,
  prune: () => Promise<void>,
): void {
  const pruning = setInterval(() => {
    prune().catch((error: unknown) => log.warn({ err: asError(error) }, 'Could not delete expired editor data'))
  }, pruneEveryMs)
  lifecycle.onStop('expired editor data', () => clearInterval(pruning))
}

function lspAddress(url: string, port: number): string {
  const { protocol, hostname } = new URL(url)
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${hostname}:${port}/lsp`
}
