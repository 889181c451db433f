import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { settings as allSettings } from '../config.ts'
import { forgetRepositories } from '../editor/github/stores/connection-store.ts'
import { forgetProjects } from '../editor/projects/write-projects.ts'
import { pageAddress } from '../platform/http/connections.ts'
import { forgetAccount } from '../platform/auth/forget-account.ts'
import type { Client } from '../platform/limits/clients.ts'
import { connectionLimits } from '../platform/db/connection-limits.ts'
import { createPool, logIdleErrors } from '../platform/db/pool.ts'
import { PreparedStatements } from '../platform/db/prepared-statements.ts'
import { ApiError, asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { AuthSessions } from '../wallet/auth/auth-sessions.ts'
import { createAuth } from '../wallet/auth/create-auth.ts'
import { createGotrueSessions } from '../wallet/auth/gotrue-sessions.ts'
import { authPath } from '../wallet/auth/router.ts'
import { Outbox, mailSender } from '../wallet/auth/mail.ts'
import { githubProvider, googleProvider } from '../wallet/auth/providers.ts'
import type { ForgetUser, ConfirmUserChange } from '../wallet/auth/user-changes.ts'
import { walletNetworks } from '../wallet/settings.ts'
import { clientRoutes } from '../wallet/client-routes.ts'
import type { SignInClient } from '../wallet/client-routes.ts'
import { createAuthServer } from '../wallet/session-cookies.ts'
import type { WalletParts, WalletSettings } from '../wallet/server.ts'
import { createPasskeyFunction, passkeyFunctionPath } from '../wallet/passkeys/passkey-function.ts'
import { forgetPasskeys, PasskeyStore } from '../wallet/passkeys/passkey-store.ts'
import { provisioningEndpoints } from '../wallet/provisioning/provisioning-endpoints.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../platform/service.ts'
import { signInClients } from './editor-origin.ts'
import { localHost } from '../platform/http/connections.ts'
import { networkSettings, openProvisioning } from './open-provisioning.ts'
import { openWalletNodes } from './open-wallet-nodes.ts'
import { WalletMetrics } from './wallet-metrics.ts'
import { readApplication, readMailFrom, readServiceToken, readWalletPlace, walletWarnings } from './wallet-settings.ts'

interface OpenWalletOptions {
  /** That the wallet listens on. */
  readonly port: number
  readonly clientOf: (request: IncomingMessage) => Client
  readonly log: Logger
  readonly page: Middleware
}

interface OpenedWallet extends WalletParts {
  /** Where people reach it, without a slash at its end. */
  readonly url: string
}

const poolSize = 10

/**
 * Statements of sign-ins are many and short: one connection that has many of them takes half of what ten with one each do. More are for disks on which a
 * commit takes long.
 */
const statementConnections = { max: 4, depth: 32, queueMs: 50, idleTimeoutMs: 60_000 } as const

const unitsPerFlow = 100_000_000n
const pruneEveryMs = 3_600_000

/**
 * Puts the wallet together: who signs people in, passkeys, accounts for them, nodes and the explorer. What it opens ends with the process.
 * @throws FatalError for settings that cannot be, and for a payer that cannot pay; errors of the database
 */
export async function openWallet(
  context: ServiceContext<Config>,
  { port, clientOf, log, page }: OpenWalletOptions,
): Promise<OpenedWallet> {
  const { config, databaseUrl, lifecycle } = context
  const place = readWalletPlace(config, port)
  const clients = (): readonly SignInClient[] => signInClients(config, context.shared, place)
  const { url, party, isSecure } = place
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: poolSize,
    applicationName: 'flowfarm wallet',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections: flowfarm wallet', () => pool.end())
  const statements = new PreparedStatements(databaseUrl, {
    ...connectionLimits,
    ...statementConnections,
    applicationName: 'flowfarm wallet',
  })
  lifecycle.onStop('statements: flowfarm wallet', () => statements.end())
  const figures = new WalletMetrics(context.metrics)
  const opened: { confirmUserChange?: ConfirmUserChange } = {}
  const userChanges = (): ConfirmUserChange => {
    if (opened.confirmUserChange === undefined)
      throw new ApiError(503, 'unexpected_failure', 'The wallet is starting. Try again.')
    return opened.confirmUserChange
  }
  const { sessions, middleware, authUrl, outbox } = await openAuth(context, {
    pool,
    statements,
    figures,
    place,
    clientOf,
    log,
    port,
    userChanges,
    clients,
  })
  const { nodes, followed } = openWalletNodes(context, log)
  const provisioning = await openProvisioning(context, new PasskeyStore(pool), log, {
    startBalances: { testnet: BigInt(config.WALLET_TESTNET_FUNDS) * unitsPerFlow },
    onAccount: figures.account,
    onPayerBalance: figures.payerBalance,
  })
  const passkeys = createPasskeyFunction({
    pool,
    statements,
    log,
    relyingParty: () => party,
    sessions,
    clientOf,
    endpoints: provisioningEndpoints(provisioning),
    keysOnChain: provisioning.keysOnChain,
    outbox,
    onNote: figures.passkey,
  })
  const signIns = clientRoutes({ pool, statements, sessions, clients, origin: url, clientOf })
  opened.confirmUserChange = passkeys.confirmUserChange
  const pruning = setInterval(() => {
    Promise.all([passkeys.prune(), signIns.prune()]).catch((error: unknown) =>
      log.warn({ err: asError(error) }, 'old challenges of passkeys could not be removed'),
    )
  }, pruneEveryMs)
  lifecycle.onStop('old challenges of passkeys', () => clearInterval(pruning))
  for (const warning of walletWarnings(config, place)) log.warn(warning)
  const settings = (): WalletSettings => ({
    url,
    rp_id: party.id,
    rp_name: party.name,
    gotrue_url: config.GOTRUE_URL ?? authPath,
    passkey_auth_url: passkeyFunctionPath,
    cookie_domain: config.WALLET_COOKIE_DOMAIN ?? null,
    clients: clients().map(({ id, name, redirectUri }) => ({ client_id: id, name, redirect_uri: redirectUri })),
    networks: walletNetworks
      .filter((network) => nodes[network] !== undefined)
      .map((network) => ({
        network,
        makes_accounts: config[networkSettings[network].payer] !== undefined,
        has_explorer_api: network === followed(),
        explorer_url: network === followed() ? explorerUrl(context, place.isForTrial) : null,
      })),
  })
  return {
    url,
    settings,
    auth: middleware,
    passkeys: passkeys.middleware,
    clients: signIns.router,
    page,
    nodes,
    explorerApi: () => explorerApi(context),
    session: {
      auth: createAuthServer(authUrl),
      allows: (origin) => party.allows(origin),
      isSecure,
      cookieDomain: config.WALLET_COOKIE_DOMAIN,
      sessionHours: config.WALLET_SESSION_HOURS,
    },
  }
}

interface OpenedAuth {
  readonly sessions: AuthSessions
  /** Undefined: people are signed in elsewhere. */
  readonly middleware: WalletParts['auth']
  /** Where this process asks it. */
  readonly authUrl: string
  /** For e-mails to owners of passkeys; undefined: there is no server for them. */
  readonly outbox: Outbox | undefined
}

interface AuthNeeds extends Pick<OpenWalletOptions, 'clientOf' | 'log' | 'port'> {
  readonly pool: ReturnType<typeof createPool>
  readonly statements: PreparedStatements
  readonly place: ReturnType<typeof readWalletPlace>
  readonly figures: WalletMetrics
  /** Known once the passkeys are opened, which need the sessions. */
  readonly userChanges: () => ConfirmUserChange
  readonly clients: () => readonly SignInClient[]
}

/** Our own auth endpoint, or the one of somebody else at GOTRUE_URL. */
async function openAuth(
  { config, lifecycle }: ServiceContext<Config>,
  { pool, statements, place, figures, clientOf, log, port, userChanges, clients }: AuthNeeds,
): Promise<OpenedAuth> {
  const { GOTRUE_URL: gotrueUrl, GOTRUE_SERVICE_TOKEN: serviceToken } = config
  const sendMail = mailSender({ smtpUrl: config.SMTP_URL, from: readMailFrom(config), folder: config.MAIL_FOLDER }, log)
  if (gotrueUrl !== undefined) {
    const outbox =
      config.SMTP_URL === undefined ? undefined : new Outbox({ pool, send: sendMail, log, onDone: figures.mail })
    if (outbox !== undefined) lifecycle.onStop('e-mails of the wallet', () => outbox.close())
    return {
      sessions: createGotrueSessions({ url: gotrueUrl, serviceToken }),
      middleware: undefined,
      authUrl: gotrueUrl,
      outbox,
    }
  }
  const [github, google] = [readApplication(config, 'GITHUB'), readApplication(config, 'GOOGLE')]
  const auth = await createAuth({
    pool,
    statements,
    log,
    walletUrl: place.url,
    name: config.WALLET_RP_NAME,
    jwtKey: config.WALLET_JWT_KEY,
    sessionHours: config.WALLET_SESSION_HOURS,
    sendMail,
    userChanges: {
      hasPasskey: (userId) => userChanges().hasPasskey(userId),
      confirm: (asked) => userChanges().confirm(asked),
    },
    providers: [
      ...(github === undefined ? [] : [githubProvider(github)]),
      ...(google === undefined ? [] : [googleProvider(google)]),
    ],
    isAllowedOrigin: (origin) => place.party.allows(origin),
    isClientOrigin: (origin) => clients().some(({ redirectUri }) => new URL(redirectUri).origin === origin),
    clientOf,
    serviceToken: readServiceToken(config),
    forgetUser,
    onSignIn: figures.signIn,
    onMail: figures.mail,
  })
  lifecycle.onStop('e-mails of the wallet', () => auth.close())
  return {
    sessions: auth.sessions,
    middleware: auth.middleware,
    outbox: auth.parts.outbox,
    authUrl: `http://${localHost(config.HOST)}:${port}${authPath}`,
  }
}

/** The API of this process, or the one that is set. */
function explorerApi({ config, shared }: ServiceContext<Config>): string {
  const isSet = config.BACKEND_URL !== allSettings.BACKEND_URL.read(undefined)
  return isSet || shared.apiPort === undefined
    ? config.BACKEND_URL
    : `http://${localHost(config.HOST)}:${shared.apiPort}`
}

/** Where browsers find the explorer: others than those of this machine only where somebody has said it. */
function explorerUrl({ config, shared }: ServiceContext<Config>, isForTrial: boolean): string | null {
  if (config.CHAT_EXPLORER_URL !== undefined) return config.CHAT_EXPLORER_URL
  return isForTrial && shared.apiPort !== undefined ? pageAddress(config.HOST, shared.apiPort) : null
}

/**
 * What all parts of the program forget of a user who goes, in the transaction that removes them. The tables are there whether or not the editor runs,
 * in this process or in another.
 */
export const forgetUser: ForgetUser = async (client, userId) => {
  await forgetPasskeys(client, userId)
  await forgetRepositories(client, userId)
  await forgetProjects(client, userId)
  await forgetAccount(client, userId)
}
