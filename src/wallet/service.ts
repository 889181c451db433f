import type { WalletConfig, WalletPlace } from './settings.ts'
import { isIP } from 'node:net'
import { addressList, clientReader, loopbackNetworks } from '../platform/limits/clients.ts'
import { createWalletServer } from './server.ts'
import { cannotListen } from '../platform/http/cannot-listen.ts'
import { applicationsOf } from '../platform/pages/applications.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'
import { createWalletPage } from './page.ts'
import type { Middleware } from 'koa'
import { localHost } from '../platform/http/connections.ts'
import { connectionLimits, createPool, logIdleErrors } from '../platform/db/pool.ts'
import { PreparedStatements } from '../platform/db/prepared-statements.ts'
import { ApiError, asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { AuthSessions } from './auth/auth-sessions.ts'
import { createAuth } from './auth/create-auth.ts'
import type { AuthHttp } from './auth/create-auth.ts'
import { createGotrueSessions } from './auth/gotrue-sessions.ts'
import { authPath } from './auth/auth-parts.ts'
import { openMailSender } from '../platform/mail/mail-sender.ts'
import { Outbox } from '../platform/mail/outbox.ts'
import { githubProvider, googleProvider } from './auth/providers.ts'
import type { DeleteUserData, ConfirmUserChange } from './auth/user-changes.ts'
import {
  walletNetworks,
  readApplication,
  readServiceToken,
  readWalletPlace,
  walletWarnings,
  networkSettings,
} from './settings.ts'
import { ClientSignIns } from './client-routes.ts'
import type { SignInClient } from './client-routes.ts'
import { createAuthServer } from './session-cookies.ts'
import type { WalletParts, WalletSettings } from './server.ts'
import { RateLimits } from './auth/stores/rate-limits.ts'
import { contactEndpoints } from './account/contacts.ts'
import { policyEndpoints, pruneSpending } from './account/policies.ts'
import { developerEndpoints } from './account/developer-access.ts'
import type { ListProjects } from './account/developer-access.ts'
import { pruneSignatures, securityEndpoints } from './account/security-log.ts'
import { sessionEndpoints } from './account/sessions.ts'
import { createPasskeyFunction, passkeyFunctionPath } from './passkeys/passkey-function.ts'
import { PasskeyStore } from './passkeys/passkey-store.ts'
import { recoveryEndpoints } from './provisioning/account-recovery.ts'
import { provisioningEndpoints } from './provisioning/provisioning-endpoints.ts'
import type { ServiceContext } from '../platform/service.ts'
import { openProvisioning } from './provisioning/service.ts'
import { openWalletNodes } from './nodes.ts'
import { WalletMetrics } from './metrics.ts'

export interface WalletDependencies {
  readonly clients: (place: WalletPlace) => readonly SignInClient[]
  readonly warnings: readonly string[]
  readonly deleteUserData: DeleteUserData
  readonly listProjects: ListProjects
  readonly explorerApi: () => string
  readonly explorerUrl: (place: WalletPlace) => string | null
}

export async function startWallet(
  context: ServiceContext<WalletConfig>,
  dependencies: WalletDependencies,
): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'wallet' })
  const pages = createDashboardPages({
    page: 'wallet',
    log,
    build: pageBuildOf(context),
    applications: applicationsOf(context, 'wallet'),
  })
  lifecycle.onStop('wallet page', () => pages.stop())
  const clientOf = clientReader(
    addressList([...config.TRUSTED_PROXIES, ...loopbackNetworks, ...ownAddress(config.HOST)]),
  )
  let url = ''
  const server = await createWalletServer({
    clientOf,
    log,
    metrics,
    host: config.HOST,
    port: config.WALLET_PORT,
    open: async (port) => {
      const wallet = await openWallet(context, dependencies, {
        port,
        log,
        page: createWalletPage(pages, () => url, config.GOTRUE_URL),
      })
      url = wallet.url
      return wallet
    },
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'WALLET_PORT', port: config.WALLET_PORT, host: config.HOST })
  })
  shared.walletPort = server.port
  lifecycle.onStop('wallet', () => server.close())
  const paying = walletNetworks.filter((network) => config[networkSettings[network].payer] !== undefined)
  log.info({ url, port: server.port, accounts: paying }, 'Wallet listening')
  if (paying.length === 0)
    log.info(
      'Account creation is off: no payer is configured. Set WALLET_MAINNET_PAYER or WALLET_TESTNET_PAYER ' +
        '(docs/wallet.md)',
    )
}

/** The wallet calls its own auth endpoint for clients. */
function ownAddress(host: string): readonly string[] {
  return isIP(host) === 0 || ['0.0.0.0', '::'].includes(host) ? [] : [host]
}

interface OpenWalletOptions {
  readonly port: number
  readonly log: Logger
  readonly page: Middleware
}

interface OpenedWallet extends WalletParts {
  readonly url: string
}

const poolSize = 10

/**
 * One pipelined connection needs half the resources of ten; four help on disks with slow commits.
 */
const statementConnections = { max: 4, depth: 32, queueMs: 50, idleTimeoutMs: 60_000 } as const

const unitsPerFlow = 100_000_000n
const pruneEveryMs = 3_600_000

/**
 * Everything opened here closes with the process. @throws FatalError for invalid settings and for a
 * payer that cannot pay
 */
async function openWallet(
  context: ServiceContext<WalletConfig>,
  dependencies: WalletDependencies,
  { port, log, page }: OpenWalletOptions,
): Promise<OpenedWallet> {
  const { config, databaseUrl, lifecycle } = context
  const place = readWalletPlace(config, port)
  const clients = (): readonly SignInClient[] => dependencies.clients(place)
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
  const { sessions, auth, authUrl, outbox } = await openAuth(context, {
    pool,
    statements,
    figures,
    place,
    log,
    port,
    userChanges,
    clients,
    deleteUserData: dependencies.deleteUserData,
  })
  const { nodes, followed } = openWalletNodes(context, log)
  const { provisioning, recovery } = await openProvisioning(context, new PasskeyStore(pool), log, {
    startBalances: { testnet: BigInt(config.WALLET_TESTNET_FUNDS) * unitsPerFlow },
    onAccount: figures.account,
    onPayerBalance: figures.payerBalance,
  })
  const rates = new RateLimits(pool, statements)
  const passkeys = createPasskeyFunction({
    pool,
    statements,
    log,
    relyingParty: () => party,
    sessions,
    endpoints: {
      ...provisioningEndpoints(provisioning),
      ...recoveryEndpoints(recovery),
      ...contactEndpoints(pool, sessions),
      ...policyEndpoints(pool, sessions),
      ...securityEndpoints({ pool, rates, outbox, name: party.name }),
      ...sessionEndpoints(pool),
      ...developerEndpoints({
        pool,
        rates,
        sessions,
        outbox,
        name: party.name,
        listProjects: dependencies.listProjects,
      }),
    },
    keysOnChain: provisioning.keysOnChain,
    recoveryNetworks: recovery.networks,
    outbox,
    onNote: figures.passkey,
  })
  const signIns = new ClientSignIns({ pool, statements, sessions, clients, origin: url })
  opened.confirmUserChange = passkeys.confirmUserChange
  recovery.start({
    onCancelled: (userId) => passkeys.cancelRecovery(userId),
    onForeign: (userId, address) => passkeys.notifyForeignRecovery(userId, address),
    onRound: () => passkeys.completeRecoveries(),
  })
  const pruning = setInterval(() => {
    Promise.all([passkeys.prune(), signIns.prune(), pruneSignatures(pool), pruneSpending(pool)]).catch(
      (error: unknown) => log.warn({ err: asError(error) }, 'Could not delete expired challenges'),
    )
  }, pruneEveryMs)
  lifecycle.onStop('expired challenges', () => clearInterval(pruning))
  for (const warning of [...dependencies.warnings, ...walletWarnings(config, place)]) log.warn(warning)
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
        explorer_url: network === followed() ? dependencies.explorerUrl(place) : null,
      })),
  })
  return {
    url,
    settings,
    auth,
    passkeys,
    signIns,
    page,
    nodes,
    explorerApi: dependencies.explorerApi,
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
  /** Undefined with GOTRUE_URL. */
  readonly auth: AuthHttp | undefined
  readonly authUrl: string
  /** Undefined without a mail server. */
  readonly outbox: Outbox | undefined
}

interface AuthNeeds extends Pick<OpenWalletOptions, 'log' | 'port'> {
  readonly pool: ReturnType<typeof createPool>
  readonly statements: PreparedStatements
  readonly place: ReturnType<typeof readWalletPlace>
  readonly figures: WalletMetrics
  readonly userChanges: () => ConfirmUserChange
  readonly clients: () => readonly SignInClient[]
  readonly deleteUserData: DeleteUserData
}

async function openAuth(
  { config, lifecycle }: ServiceContext<WalletConfig>,
  { pool, statements, place, figures, log, port, userChanges, clients, deleteUserData }: AuthNeeds,
): Promise<OpenedAuth> {
  const { GOTRUE_URL: gotrueUrl, GOTRUE_SERVICE_TOKEN: serviceToken } = config
  const sendMail = openMailSender(config, log)
  if (gotrueUrl !== undefined) {
    const outbox =
      config.SMTP_URL === undefined
        ? undefined
        : new Outbox({ pool, table: 'wallet_auth.outgoing_mails', send: sendMail, log, onDone: figures.mail })
    if (outbox !== undefined) lifecycle.onStop('wallet e-mails', () => outbox.close())
    return {
      sessions: createGotrueSessions({ url: gotrueUrl, serviceToken }),
      auth: undefined,
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
      confirm: (requested) => userChanges().confirm(requested),
    },
    providers: [
      ...(github === undefined ? [] : [githubProvider(github)]),
      ...(google === undefined ? [] : [googleProvider(google)]),
    ],
    isAllowedOrigin: (origin) => place.party.allows(origin),
    isClientOrigin: (origin) => clients().some(({ redirectUri }) => new URL(redirectUri).origin === origin),
    serviceToken: readServiceToken(config),
    deleteUserData,
    onSignIn: figures.signIn,
    onMail: figures.mail,
  })
  lifecycle.onStop('wallet e-mails', () => auth.close())
  return {
    sessions: auth.sessions,
    auth: auth.http,
    outbox: auth.parts.outbox,
    authUrl: `http://${localHost(config.HOST)}:${port}${authPath}`,
  }
}
