import { boolean, integer, list, optionalText, optionalUrl, text } from '../platform/setting.ts'
import type { Setting, SettingValues } from '../platform/setting.ts'
import type { servingSettings, proxySettings } from '../platform/http/settings.ts'
import type { accessNodeSettings } from '../access/settings.ts'
import { FatalError } from '../platform/errors.ts'
import type { OAuthApplication } from './auth/providers.ts'
import { readRelyingParty } from './passkeys/relying-party.ts'
import type { RelyingParty } from './passkeys/relying-party.ts'

/** Variables of the wallet: who signs in, by what passkeys, and who pays for accounts. */

const group = 'Wallet'
const mail = 'Wallet: e-mail'
const oauth = 'Wallet: sign-in with others'
const payer = 'Wallet: accounts on the chain'
const http = ['http', 'https']

export const walletSettings = {
  WALLET_PORT: integer({
    group,
    default: 3004,
    min: 0,
    max: 65_535,
    description:
      'Port of the wallet: its pages, /auth/v1 and /functions/v1/passkey-auth; 0 picks a free one and logs it.',
  }),
  WALLET_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'Where people reach the wallet; links in e-mails lead there. Without it http://localhost and WALLET_PORT.',
  }),
  WALLET_RP_ID: optionalText({
    group,
    description:
      'Relying party of the passkeys: a domain, without https and port. It cannot be changed later: passkeys ' +
      'belong to it. Default: the host of WALLET_URL. With a domain above that host, every page at or below the ' +
      'domain can ask the passkeys to sign transactions.',
  }),
  WALLET_RP_NAME: text({
    group,
    default: 'flowfarm',
    description: 'Name that browsers show when a passkey is made or asked for.',
  }),
  WALLET_ORIGINS: list({
    group,
    description:
      'Origins whose pages may use the passkeys, such as https://wallet.example.com. Each is below WALLET_RP_ID; ' +
      'https://*.example.com is all below example.com. Without it that of WALLET_URL.',
  }),
  WALLET_COOKIE_DOMAIN: optionalText({
    group,
    description: 'Domain of the session cookie, for pages on several hosts of one site. Without it the host alone.',
  }),
  WALLET_JWT_KEY: optionalText({
    group,
    secret: true,
    description:
      'Private key for access tokens: PKCS #8 (PEM) of ES256. Without it one that is made at the first start and ' +
      'kept in the database.',
  }),
  WALLET_SERVICE_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'What programs of yours show at /auth/v1/admin/generate_link to be given links by which people sign in, at ' +
      'least 32 characters. Whoever has it can be everybody. Without it nobody is given any.',
  }),
  WALLET_SESSION_HOURS: integer({
    group,
    default: 720,
    min: 1,
    max: 8760,
    unit: 'hours',
    description: 'Longest life of a session, however often it is renewed.',
  }),
  GOTRUE_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'An auth server of somebody else, such as GoTrue, that signs people in. Without it our own at /auth/v1.',
  }),
  GOTRUE_SERVICE_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'Key of the role service_role of that auth server, by which it makes sessions for passkeys. Without it ' +
      'nobody signs in by passkey there.',
  }),

  SMTP_URL: optionalUrl({
    group: mail,
    secret: true,
    schemes: ['smtp', 'smtps'],
    description:
      'Server that sends e-mails, with name and password. Without it they are written to files in MAIL_FOLDER, ' +
      'and a line of the log names each.',
  }),
  MAIL_FROM: text({ group: mail, default: 'flowfarm <no-reply@localhost>', description: 'Sender of e-mails.' }),
  MAIL_FOLDER: text({
    group: mail,
    default: './mail',
    description: 'Folder of the e-mails where SMTP_URL is not set.',
  }),

  GITHUB_CLIENT_ID: optionalText({
    group: oauth,
    description: 'Sign-in with GitHub: the id of the application. Without it there is none.',
  }),
  GITHUB_CLIENT_SECRET: optionalText({
    group: oauth,
    secret: true,
    description: 'Sign-in with GitHub: the secret of the application.',
  }),
  GOOGLE_CLIENT_ID: optionalText({
    group: oauth,
    description: 'Sign-in with Google: the id of the client. Without it there is none.',
  }),
  GOOGLE_CLIENT_SECRET: optionalText({
    group: oauth,
    secret: true,
    description: 'Sign-in with Google: the secret of the client.',
  }),

  WALLET_MAINNET_NODE: optionalText({
    group: payer,
    description:
      'Access node to which transactions of mainnet are sent. Without it, where the chain that is followed is ' +
      'mainnet, CHAIN_ACCESS_NODE.',
  }),
  WALLET_TESTNET_NODE: optionalText({
    group: payer,
    description:
      'Access node to which transactions of testnet are sent. Without it, where the chain that is followed is ' +
      'testnet or an emulator, CHAIN_ACCESS_NODE.',
  }),
  WALLET_MAINNET_PAYER: optionalText({
    group: payer,
    secret: true,
    description:
      'Who pays for new accounts of mainnet: <address>/<key index>/<algorithm>/<hash>/<private key in hex>, e.g. ' +
      '0x…/0/ECDSA_P256/SHA3_256/…. Several keys of one private key are written 0-9 or 0,1,2: so many accounts ' +
      'are made at once. Each has the weight 1000. Without it none are made there.',
  }),
  WALLET_TESTNET_PAYER: optionalText({ group: payer, secret: true, description: 'The same for testnet.' }),
  WALLET_TESTNET_FUNDS: integer({
    group: payer,
    default: 0,
    min: 0,
    max: 1000,
    unit: 'FLOW',
    description:
      'What the payer gives each new account of testnet, beside what an account has to have: without FLOW it can ' +
      'send nothing.',
  }),
  WALLET_PROVISION_LIMIT: integer({
    group: payer,
    default: 20,
    min: 0,
    max: 1_000_000,
    unit: 'accounts per day',
    description: 'Most accounts that are made in 24 hours on each network, since each costs the payer.',
  }),
  WALLET_PROVISION_OPEN: boolean({
    group: payer,
    default: true,
    description: 'Make accounts for whoever has signed in. Off: only for users whose app_metadata has the role wallet.',
  }),
} satisfies Record<string, Setting<unknown>>

/** The networks on which a passkey has accounts. */
export type WalletConfig = SettingValues<
  typeof walletSettings & typeof accessNodeSettings & typeof servingSettings & typeof proxySettings
>

export const walletNetworks = ['mainnet', 'testnet'] as const
export type WalletNetwork = (typeof walletNetworks)[number]

/** Which node and which payer each network has. */
export const networkSettings = {
  mainnet: { node: 'WALLET_MAINNET_NODE', payer: 'WALLET_MAINNET_PAYER' },
  testnet: { node: 'WALLET_TESTNET_NODE', payer: 'WALLET_TESTNET_PAYER' },
} as const satisfies Record<WalletNetwork, { readonly node: keyof WalletConfig; readonly payer: keyof WalletConfig }>

export function isWalletNetwork(text: unknown): text is WalletNetwork {
  return typeof text === 'string' && (walletNetworks as readonly string[]).includes(text)
}

/** Where the wallet is, and for whom its passkeys are. */
export interface WalletPlace {
  /** WALLET_URL, or http://localhost and the port; without a slash at its end. */
  readonly url: string
  readonly party: RelyingParty
  readonly isSecure: boolean
  /** Nobody but those at this machine reach it: nothing has to be set up. */
  readonly isForTrial: boolean
}

/** @throws FatalError that names the variable and the remedy */
export function readWalletPlace(config: WalletConfig, port: number): WalletPlace {
  const {
    WALLET_RP_ID: rpId,
    WALLET_RP_NAME: rpName,
    WALLET_ORIGINS: origins,
    WALLET_COOKIE_DOMAIN: cookieDomain,
  } = config
  const { protocol, hostname, origin, href } = new URL(config.WALLET_URL ?? `http://localhost:${port}`)
  const isForTrial = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (href !== `${origin}/`) throw wrong('WALLET_URL', `${href} has more than a host: the wallet has its pages at /`)
  if (protocol !== 'https:' && !isForTrial)
    throw wrong(
      'WALLET_URL',
      `${href} has to be https; only localhost may be http, since browsers give other pages no passkeys`,
    )
  const party = readRelyingParty({ url: origin, rpId, rpName, origins })
  if (!party.allows(origin))
    throw wrong(
      'WALLET_ORIGINS',
      `${origin} is not among them: the pages of the wallet itself could use no passkeys. Add it`,
    )
  if (cookieDomain !== undefined && !isAtOrBelow(hostname, cookieDomain)) {
    throw wrong(
      'WALLET_COOKIE_DOMAIN',
      `${cookieDomain} has to be the host of the wallet, ${hostname}, or a domain above it with a dot in it, such as example.com`,
    )
  }
  return { url: origin, party, isSecure: protocol === 'https:', isForTrial }
}

/**
 * The application at a provider by which people sign in. @param name of the variables @throws FatalError where half
 * of it is set
 */
export function readApplication(config: WalletConfig, name: 'GITHUB' | 'GOOGLE'): OAuthApplication | undefined {
  const [clientId, clientSecret] = [config[`${name}_CLIENT_ID`], config[`${name}_CLIENT_SECRET`]]
  if (clientId === undefined && clientSecret === undefined) return undefined
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret }
  const missing = `${name}_CLIENT_${clientId === undefined ? 'ID' : 'SECRET'}`
  throw wrong(
    missing,
    `it is not set, and the other half of it, ${name}_CLIENT_${clientId === undefined ? 'SECRET' : 'ID'}, is. Set both or none`,
  )
}

/** WALLET_SERVICE_TOKEN. @throws FatalError for one that could be guessed, which it does not tell */
export function readServiceToken({
  WALLET_SERVICE_TOKEN: token,
}: Pick<WalletConfig, 'WALLET_SERVICE_TOKEN'>): string | undefined {
  if (token !== undefined && !/^[\x21-\x7e]{32,}$/.test(token))
    throw wrong(
      'WALLET_SERVICE_TOKEN',
      'it has to be at least 32 letters, digits and signs without spaces: make it with `openssl rand -hex 32`',
    )
  return token
}

const mailAddress = String.raw`[^\s<>@,;"]+@[^\s<>@,;"]+`
const senderForm = new RegExp(`^(?:${mailAddress}|[^<>\r\n]*<${mailAddress}>)$`)

/**
 * MAIL_FROM. @throws FatalError where it is no one address: e-mails would go without a sender, and servers refuse
 * such
 */
export function readMailFrom({ MAIL_FROM: from }: Pick<WalletConfig, 'MAIL_FROM'>): string {
  if (!senderForm.test(from))
    throw wrong(
      'MAIL_FROM',
      `${from} has to be one address, with a name or without, such as Example <no-reply@example.com>`,
    )
  return from
}

/** What works otherwise than an operator may think. */
export function walletWarnings(config: WalletConfig, { isForTrial, party, url }: WalletPlace): readonly string[] {
  const warnings: string[] = []
  if (party.id !== new URL(url).hostname) {
    warnings.push(
      `every page at or below ${party.id} can ask the passkeys of the wallet for signatures of transactions, because WALLET_RP_ID is above its host: leave it out in new installations`,
    )
  }
  if (config.GOTRUE_URL === undefined) {
    if (config.SMTP_URL === undefined && !isForTrial)
      warnings.push(
        'nobody gets an e-mail, so nobody can sign in by one: they are written to files in MAIL_FOLDER; set SMTP_URL',
      )
    if (config.SMTP_URL !== undefined && !isForTrial && /@localhost>?$/.test(config.MAIL_FROM))
      warnings.push(`e-mails come from ${config.MAIL_FROM}, which the servers of others refuse; set MAIL_FROM`)
    if (config.GOTRUE_SERVICE_TOKEN !== undefined)
      warnings.push('GOTRUE_SERVICE_TOKEN changes nothing without GOTRUE_URL')
    return warnings
  }
  if (config.GOTRUE_SERVICE_TOKEN === undefined)
    warnings.push('nobody can sign in by passkey or to the editor: GOTRUE_URL is set, and GOTRUE_SERVICE_TOKEN is not')
  if (config.SMTP_URL === undefined)
    warnings.push('owners get no e-mail when a passkey is added or removed: set SMTP_URL')
  const idle = (['WALLET_JWT_KEY', 'WALLET_SERVICE_TOKEN', 'GITHUB_CLIENT_ID', 'GOOGLE_CLIENT_ID'] as const).filter(
    (name) => config[name] !== undefined,
  )
  if (idle.length > 0)
    warnings.push(`these are of our own auth endpoint, and change nothing beside GOTRUE_URL: ${idle.join(', ')}`)
  return warnings
}

function isAtOrBelow(host: string, domain: string): boolean {
  const name = domain.toLowerCase().replace(/^\./, '')
  return host === name || (name.includes('.') && host.endsWith(`.${name}`))
}

function wrong(variable: string, problem: string): FatalError {
  return new FatalError('bad-wallet-settings', `${variable}: ${problem}.`, { details: { variable } })
}
