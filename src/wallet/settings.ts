import { boolean, integer, list, optionalText, optionalUrl, text } from '../platform/setting.ts'
import type { Setting, SettingValues } from '../platform/setting.ts'
import type { servingSettings, proxySettings } from '../platform/http/settings.ts'
import type { accessNodeSettings } from '../access/settings.ts'
import { FatalError } from '../platform/errors.ts'
import type { mailSettings } from '../platform/mail/mail-sender.ts'
import type { OAuthApplication } from './auth/providers.ts'
import { readRelyingParty } from './passkeys/relying-party.ts'
import type { RelyingParty } from './passkeys/relying-party.ts'

const group = 'Wallet'
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
      'Port of the wallet: its pages, /auth/v1 and /functions/v1/passkey-auth; 0 picks a free port and logs it.',
  }),
  WALLET_URL: optionalUrl({
    group,
    schemes: http,
    description: 'Public URL of the wallet, used in e-mail links. Default: http://localhost with WALLET_PORT.',
  }),
  WALLET_RP_ID: optionalText({
    group,
    description:
      'Relying party of the passkeys: a domain, without scheme and port. Cannot be changed later: passkeys ' +
      'are bound to it. Default: the host of WALLET_URL. With a parent domain, every page at or below that ' +
      'domain can request transaction signatures.',
  }),
  WALLET_RP_NAME: text({
    group,
    default: 'flowfarm',
    description: 'Name that browsers show with passkeys.',
  }),
  WALLET_ORIGINS: list({
    group,
    description:
      'Origins whose pages may use the passkeys, such as https://wallet.example.com, at or below WALLET_RP_ID; ' +
      'https://*.example.com matches all subdomains. Default: the origin of WALLET_URL.',
  }),
  WALLET_COOKIE_DOMAIN: optionalText({
    group,
    description: 'Domain of the session cookie, for pages on several hosts of a site. Default: the host only.',
  }),
  WALLET_JWT_KEY: optionalText({
    group,
    secret: true,
    description:
      'Private key for access tokens: ES256, PKCS #8 PEM. Default: a key generated at the first start and ' +
      'stored in the database.',
  }),
  WALLET_SERVICE_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'Token for /auth/v1/admin/generate_link, with which your programs create sign-in links for any user; at ' +
      'least 32 characters. Default: the endpoint is off.',
  }),
  WALLET_SESSION_HOURS: integer({
    group,
    default: 720,
    min: 1,
    max: 8760,
    unit: 'hours',
    description: 'Maximum lifetime of a session; renewing does not extend it.',
  }),
  GOTRUE_URL: optionalUrl({
    group,
    schemes: http,
    description: 'URL of an external auth server such as GoTrue. Default: the built-in one at /auth/v1.',
  }),
  GOTRUE_SERVICE_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'service_role key of that auth server, for passkey sessions. Without it, passkey sign-in is off there.',
  }),

  GITHUB_CLIENT_ID: optionalText({
    group: oauth,
    description: 'GitHub sign-in: client id of the application. Default: off.',
  }),
  GITHUB_CLIENT_SECRET: optionalText({
    group: oauth,
    secret: true,
    description: 'GitHub sign-in: client secret.',
  }),
  GOOGLE_CLIENT_ID: optionalText({
    group: oauth,
    description: 'Google sign-in: client id. Default: off.',
  }),
  GOOGLE_CLIENT_SECRET: optionalText({
    group: oauth,
    secret: true,
    description: 'Google sign-in: client secret.',
  }),

  WALLET_MAINNET_NODE: optionalText({
    group: payer,
    description:
      'Access node for mainnet transactions. Default: CHAIN_ACCESS_NODE, if it follows ' +
      'mainnet, CHAIN_ACCESS_NODE.',
  }),
  WALLET_TESTNET_NODE: optionalText({
    group: payer,
    description:
      'Access node for testnet transactions. Default: CHAIN_ACCESS_NODE, if it follows testnet or an emulator.',
  }),
  WALLET_MAINNET_PAYER: optionalText({
    group: payer,
    secret: true,
    description:
      'Payer of new mainnet accounts: <address>/<key index>/<algorithm>/<hash>/<private key in hex>, e.g. ' +
      '0x…/0/ECDSA_P256/SHA3_256/…. Several key indexes of one private key are written 0-9 or 0,1,2: that many ' +
      'accounts are created at once. Each key needs weight 1000. Default: no accounts are created.',
  }),
  WALLET_TESTNET_PAYER: optionalText({
    group: payer,
    secret: true,
    description: 'Payer of new testnet accounts, in the same form.',
  }),
  WALLET_TESTNET_FUNDS: integer({
    group: payer,
    default: 0,
    min: 0,
    max: 1000,
    unit: 'FLOW',
    description:
      'Start balance of new testnet accounts beyond the chain minimum: without FLOW an account can send nothing.',
  }),
  WALLET_MAINNET_RECOVERY: optionalText({
    group: payer,
    description:
      'Address of the contract FlowfarmRecovery on mainnet. Default: a recovery by e-mail adds no key to accounts.',
  }),
  WALLET_TESTNET_RECOVERY: optionalText({ group: payer, description: 'The same on testnet or an emulator.' }),
  WALLET_PROVISION_LIMIT: integer({
    group: payer,
    default: 20,
    min: 0,
    max: 1_000_000,
    unit: 'accounts per day',
    description: 'Maximum accounts created in 24 hours per network. Each costs the payer FLOW.',
  }),
  WALLET_PROVISION_OPEN: boolean({
    group: payer,
    default: true,
    description: 'Create accounts for all signed-in users. Off: only for users whose app_metadata has the role wallet.',
  }),
} satisfies Record<string, Setting<unknown>>

export type WalletConfig = SettingValues<
  typeof walletSettings &
    typeof mailSettings &
    typeof accessNodeSettings &
    typeof servingSettings &
    typeof proxySettings
>

export const walletNetworks = ['mainnet', 'testnet'] as const
export type WalletNetwork = (typeof walletNetworks)[number]

export const networkSettings = {
  mainnet: { node: 'WALLET_MAINNET_NODE', payer: 'WALLET_MAINNET_PAYER', recovery: 'WALLET_MAINNET_RECOVERY' },
  testnet: { node: 'WALLET_TESTNET_NODE', payer: 'WALLET_TESTNET_PAYER', recovery: 'WALLET_TESTNET_RECOVERY' },
} as const satisfies Record<WalletNetwork, Readonly<Record<'node' | 'payer' | 'recovery', keyof WalletConfig>>>

export function isWalletNetwork(text: unknown): text is WalletNetwork {
  return typeof text === 'string' && (walletNetworks as readonly string[]).includes(text)
}

export interface WalletPlace {
  /** Without a trailing slash. */
  readonly url: string
  readonly party: RelyingParty
  readonly isSecure: boolean
  /** Reachable only from this machine. */
  readonly isForTrial: boolean
}

/** @throws FatalError */
export function readWalletPlace(config: WalletConfig, port: number): WalletPlace {
  const {
    WALLET_RP_ID: rpId,
    WALLET_RP_NAME: rpName,
    WALLET_ORIGINS: origins,
    WALLET_COOKIE_DOMAIN: cookieDomain,
  } = config
  const { protocol, hostname, origin, href } = new URL(config.WALLET_URL ?? `http://localhost:${port}`)
  const isForTrial = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (href !== `${origin}/`) throw wrong('WALLET_URL', `${href} must not have a path: the wallet serves its pages at /`)
  if (protocol !== 'https:' && !isForTrial)
    throw wrong('WALLET_URL', `${href} must be https: browsers allow passkeys over http only on localhost`)
  const party = readRelyingParty({ url: origin, rpId, rpName, origins })
  if (!party.allows(origin))
    throw wrong('WALLET_ORIGINS', `${origin} is missing: the wallet pages could not use passkeys. Add it`)
  if (cookieDomain !== undefined && !isAtOrBelow(hostname, cookieDomain)) {
    throw wrong(
      'WALLET_COOKIE_DOMAIN',
      `${cookieDomain} must be the host of the wallet, ${hostname}, or a parent domain such as example.com`,
    )
  }
  return { url: origin, party, isSecure: protocol === 'https:', isForTrial }
}

/** @throws FatalError if only one of the two is set */
export function readApplication(config: WalletConfig, name: 'GITHUB' | 'GOOGLE'): OAuthApplication | undefined {
  const [clientId, clientSecret] = [config[`${name}_CLIENT_ID`], config[`${name}_CLIENT_SECRET`]]
  if (clientId === undefined && clientSecret === undefined) return undefined
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret }
  const missing = `${name}_CLIENT_${clientId === undefined ? 'ID' : 'SECRET'}`
  throw wrong(
    missing,
    `it is not set, but ${name}_CLIENT_${clientId === undefined ? 'SECRET' : 'ID'} is. Set both or neither`,
  )
}

/** @throws FatalError for a weak token, without its value */
export function readServiceToken({
  WALLET_SERVICE_TOKEN: token,
}: Pick<WalletConfig, 'WALLET_SERVICE_TOKEN'>): string | undefined {
  if (token !== undefined && !/^[\x21-\x7e]{32,}$/.test(token))
    throw wrong(
      'WALLET_SERVICE_TOKEN',
      'it must have at least 32 characters without spaces. Generate it with `openssl rand -hex 32`',
    )
  return token
}

export function walletWarnings(config: WalletConfig, { isForTrial, party, url }: WalletPlace): readonly string[] {
  const warnings: string[] = []
  if (party.id !== new URL(url).hostname) {
    warnings.push(
      `Every page at or below ${party.id} can request transaction signatures, because WALLET_RP_ID is a parent ` +
        'domain of the wallet. Do not set it in new installations',
    )
  }
  if (config.GOTRUE_URL === undefined) {
    if (config.SMTP_URL === undefined && !isForTrial)
      warnings.push(
        'No e-mails are sent, so e-mail sign-in does not work: they are written to files in MAIL_FOLDER. Set SMTP_URL',
      )
    if (config.SMTP_URL !== undefined && !isForTrial && /@localhost>?$/.test(config.MAIL_FROM))
      warnings.push(`Mail servers reject the sender ${config.MAIL_FROM}. Set MAIL_FROM`)
    if (config.GOTRUE_SERVICE_TOKEN !== undefined)
      warnings.push('GOTRUE_SERVICE_TOKEN has no effect without GOTRUE_URL')
    return warnings
  }
  if (config.GOTRUE_SERVICE_TOKEN === undefined)
    warnings.push('Passkey and editor sign-in are off: GOTRUE_URL is set, but GOTRUE_SERVICE_TOKEN is not')
  if (config.SMTP_URL === undefined)
    warnings.push('Owners get no e-mail when a passkey is added or removed. Set SMTP_URL')
  const idle = (['WALLET_JWT_KEY', 'WALLET_SERVICE_TOKEN', 'GITHUB_CLIENT_ID', 'GOOGLE_CLIENT_ID'] as const).filter(
    (name) => config[name] !== undefined,
  )
  if (idle.length > 0)
    warnings.push(`These settings of the built-in auth endpoint have no effect with GOTRUE_URL: ${idle.join(', ')}`)
  return warnings
}

function isAtOrBelow(host: string, domain: string): boolean {
  const name = domain.toLowerCase().replace(/^\./, '')
  return host === name || (name.includes('.') && host.endsWith(`.${name}`))
}

function wrong(variable: string, problem: string): FatalError {
  return new FatalError('bad-wallet-settings', `${variable}: ${problem}.`, { details: { variable } })
}
