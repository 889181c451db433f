import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Middleware } from 'koa'
import { pino } from 'pino'
import { addressList, clientReader } from '../../src/platform/limits/clients.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { createEditorServer } from '../../src/editor/editor-server.ts'
import type { HttpServer } from '../../src/platform/http/server.ts'
import type { EditorSettings } from '../../src/editor/editor-server.ts'
import { createGitHub } from '../../src/editor/github/create-github.ts'
import { createDeployFeed } from '../../src/editor/github/deploy-feed.ts'
import { createImportWorkspaces } from '../../src/editor/imports/create-import-workspaces.ts'
import type { TestProgram } from '../../src/editor/test-runs/run-tests.ts'
import { createTestRoutes } from '../../src/editor/test-runs/test-routes.ts'
import type { LanguageServerProgram } from '../../src/editor/language-server/find-language-server.ts'
import { createLspServer } from '../../src/editor/lsp/lsp-server.ts'
import type { LspServer } from '../../src/editor/lsp/lsp-server.ts'
import { coreContractAddresses } from '../../src/flow/core-contracts.ts'
import { createProjectAccess } from '../../src/editor/projects/read-projects.ts'
import { projectLimits } from '../../src/editor/projects/project-quotas.ts'
import type { ProjectQuotas } from '../../src/editor/projects/project-quotas.ts'
import { createProjectsFunction } from '../../src/editor/projects/projects-function.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { sampleScripts } from '../../simnode/ledger/scripts/sample-scripts.ts'
import { createAuthServer, SessionCookies } from '../../src/wallet/session-cookies.ts'
import { FakeGitHub } from './fake-github.ts'
import { repositoryRoot } from './repository.ts'
import { createTestDatabase } from './database.ts'
import { startFakeWallet } from './fake-wallet.ts'
import type { FakeWallet } from './fake-wallet.ts'

/** Options that differ from the default. */
export interface EditorWorld {
  readonly quotas: ProjectQuotas
  /** Sign-in is unavailable. */
  readonly hasNoWallet: boolean
  /** The editor has a GitHub App, that of the initial world. */
  readonly hasGitHub: boolean
  /** Project requests fail with this status, without effect. */
  readonly tests: TestProgram
  readonly projectsAre: 'up' | 'down'
  /** Saves succeed, but their responses are lost. */
  readonly savesAre: 'answered' | 'unanswered'
}

export interface FakeEditor {
  /** `http://localhost` and the port. */
  readonly url: string
  readonly wallet: FakeWallet
  readonly node: LedgerNode
  /** Used if the editor has an App. */
  readonly github: FakeGitHub
  world: EditorWorld
  /** Kills the language server process, as a crash does, once one runs. */
  killLanguageServer(): Promise<void>
  /** Closes the language server channel and its port. */
  stopChannel(): Promise<void>
  /** Restarts it on the same port. */
  startChannel(): Promise<void>
  stop(): Promise<void>
}

export const defaultEditorWorld: EditorWorld = {
  quotas: { projects: 50, files: 100, fileBytes: 100_000, projectBytes: 1_000_000 },
  hasNoWallet: false,
  hasGitHub: false,
  tests: { isOn: false, reason: 'Tests need the Flow CLI on the server.' },
  projectsAre: 'up',
  savesAre: 'answered',
}

/** The language server without external programs. */
const program: LanguageServerProgram = {
  kind: 'parser',
  label: 'Cadence 1.0 parser: syntax only',
  command: process.execPath,
  args: [join(repositoryRoot, 'src/editor/parser/main.ts')],
}

/** A contract on the chain, which test code imports. */
export const importedContract = {
  address: 'f8d6e0586b0a20c7',
  name: 'Greeter',
  code: '/// Says hello.\naccess(all) contract Greeter {\n    access(all) fun greet(): String {\n        return "hello"\n    }\n}\n',
}

/**
 * The editor with real components: projects on a database, the channel with the built-in language
 * server, a wallet for sign-in, and a simulated node.
 */
/** @param walletPage the wallet page for sign-in. Default: none */
export async function startFakeEditor(
  page: (settings: () => EditorSettings) => Middleware,
  first: Partial<EditorWorld> = {},
  walletPage?: Middleware,
): Promise<FakeEditor> {
  const state = { world: { ...defaultEditorWorld, ...first } }
  const log = pino({ level: 'silent' })
  const clientOf = clientReader(addressList(['127.0.0.0/8', '::1']))
  const database = await createTestDatabase({ max: 10 })
  const github = state.world.hasGitHub ? await new FakeGitHub().start() : undefined
  const authenticate = async (accessToken: string): Promise<{ userId: string }> => {
    const answer = await fetch(`${ready().url}/auth/v1/user`, { headers: { authorization: `Bearer ${accessToken}` } })
    if (!answer.ok) throw new ApiError(401, 'UNAUTHORIZED', 'Sign in again.')
    return { userId: ((await answer.json()) as { readonly id: string }).id }
  }
  const access = createProjectAccess(database.pool)
  const deploys = await createDeployFeed({
    pool: database.pool,
    databaseUrl: database.url,
    projects: access,
    authenticate,
    log,
  })
  const node = await startLedgerNode({ seed: 3, head: 60, hasRest: true })
  const workspaces = await createImportWorkspaces({
    log,
    source: {
      contractsOf: (_network, address) =>
        Promise.resolve(
          address === importedContract.address ? new Map([[importedContract.name, importedContract.code]]) : undefined,
        ),
    },
  })
  let channelPort = 0
  let channel: LspServer | undefined
  const startChannel = async (): Promise<void> => {
    channel = await createLspServer({
      host: '127.0.0.1',
      port: channelPort,
      log,
      metrics: new Metrics(),
      clientOf,
      program,
      workspaces,
      networks: ['emulator', 'testnet'],
      limits: { backoffMs: 50 },
      ...(github === undefined ? {} : { deploys }),
    })
    channelPort = channel.port
  }
  await startChannel()
  let wallet: FakeWallet | undefined
  const server: HttpServer = await createEditorServer({
    host: '127.0.0.1',
    port: 0,
    log,
    metrics: new Metrics(),
    clientOf,
    settingsPerMinute: 10_000,
    closeGraceMs: 0,
    open: async (port) => {
      const url = `http://localhost:${port}`
      const opened = await startFakeWallet(
        walletPage ??
          (async (_context, next) => {
            await next()
          }),
        {},
        { clients: [{ id: 'editor', name: 'Cadence editor', redirectUri: `${url}/developer/callback` }] },
      )
      wallet = opened
      const session = new SessionCookies({
        auth: createAuthServer(`${opened.url}/auth/v1`),
        allows: (origin) => origin === url,
        isSecure: false,
        cookieDomain: undefined,
        sessionHours: 24,
        name: 'flowfarm-editor-session',
      }).mount()
      if (github !== undefined) github.callbackUrl = `${url}/github/callback`
      const repositories =
        github === undefined
          ? undefined
          : createGitHub({
              app: { ...github.app, privateKey: github.privateKey, url: github.url, apiUrl: github.url },
              pool: database.pool,
              log,
              editorUrl: url,
              projects: access,
              authenticate,
              lockUser: () => Promise.resolve(true),
            })
      const settings = (): EditorSettings => ({
        url,
        lsp_url: `ws://localhost:${channelPort}/lsp`,
        networks: [
          {
            network: 'emulator',
            api_url: node.restUrl,
            is_default: true,
            contracts: coreContractAddresses('emulator'),
          },
          { network: 'testnet', api_url: node.restUrl, is_default: false, contracts: coreContractAddresses('testnet') },
        ],
        language_server: { kind: program.kind, label: program.label },
        tests: {
          is_on: state.world.tests.isOn,
          reason: 'reason' in state.world.tests ? state.world.tests.reason : null,
        },
        wallet: state.world.hasNoWallet
          ? null
          : {
              url: opened.url,
              gotrue_url: `${opened.url}/auth/v1`,
              authorize_url: `${opened.url}/authorize`,
              token_url: `${opened.url}/oauth/token`,
              session_url: '/session',
              client_id: 'editor',
            },
        github:
          repositories === undefined
            ? { is_on: false, install_url: null }
            : { is_on: true, install_url: repositories.installUrl },
        samples: [...sampleScripts],
        limits: projectLimits(state.world.quotas),
      })
      const projects = createProjectsFunction({
        pool: database.pool,
        quotas: state.world.quotas,
        allowsOrigin: (origin) => origin === url,
        lockUser: () => Promise.resolve(true),
        authenticate,
      })
      return {
        settings,
        session,
        github: repositories,
        tests: createTestRoutes({ program: state.world.tests, authenticate }),
        page: page(settings),
        projects: {
          ...projects,
          routes: projects.routes.map((route) => ({
            ...route,
            run: async (request, services) => {
              if (state.world.projectsAre === 'down')
                throw new ApiError(503, 'unavailable', 'The service is being started. Try again.')
              const answer = await route.run(request, services)
              // Save and fork responses contain an id.
              const { data } = answer.body as { readonly data: object }
              if (state.world.savesAre === 'unanswered' && 'id' in data) request.call.request.socket.destroy()
              return answer
            },
          })),
        },
      }
    },
  })
  const ready = (): FakeWallet => {
    if (wallet === undefined) throw new Error('The wallet has not been started.')
    return wallet
  }
  return {
    url: `http://localhost:${server.port}`,
    node,
    get github() {
      if (github === undefined) throw new Error('This editor has no App at GitHub.')
      return github
    },
    get wallet() {
      return ready()
    },
    get world() {
      return state.world
    },
    set world(world) {
      state.world = world
    },
    killLanguageServer: async () => {
      // After a crash, a new one starts.
      let pid = channel?.pidOf('emulator')
      for (; pid === undefined; pid = channel?.pidOf('emulator')) await pause(20)
      process.kill(pid, 'SIGKILL')
    },
    stopChannel: async () => {
      await channel?.close()
      channel = undefined
    },
    startChannel,
    stop: async () => {
      await server.close()
      await wallet?.stop()
      await channel?.close()
      await deploys.close()
      await github?.stop()
      await workspaces.close()
      await node.stop()
      await database.drop()
    },
  }
}
