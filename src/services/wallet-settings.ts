import type { Config } from '../config.ts'
import { FatalError } from '../platform/errors.ts'
import type { OAuthApplication } from '../wallet/auth/providers.ts'
import { readRelyingParty } from '../wallet/passkeys/relying-party.ts'
import { isSecure } from './editor-origin.ts'
import type { RelyingParty } from '../wallet/passkeys/relying-party.ts'

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
export function readWalletPlace(config: Config, port: number): WalletPlace {
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

/** The application at a provider by which people sign in. @param name of the variables @throws FatalError where half of it is set */
export function readApplication(config: Config, name: 'GITHUB' | 'GOOGLE'): OAuthApplication | undefined {
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
}: Pick<Config, 'WALLET_SERVICE_TOKEN'>): string | undefined {
  if (token !== undefined && !/^[\x21-\x7e]{32,}$/.test(token))
    throw wrong(
      'WALLET_SERVICE_TOKEN',
      'it has to be at least 32 letters, digits and signs without spaces: make it with `openssl rand -hex 32`',
    )
  return token
}

const mailAddress = String.raw`[^\s<>@,;"]+@[^\s<>@,;"]+`
const senderForm = new RegExp(`^(?:${mailAddress}|[^<>\r\n]*<${mailAddress}>)$`)

/** MAIL_FROM. @throws FatalError where it is no one address: e-mails would go without a sender, and servers refuse such */
export function readMailFrom({ MAIL_FROM: from }: Pick<Config, 'MAIL_FROM'>): string {
  if (!senderForm.test(from))
    throw wrong(
      'MAIL_FROM',
      `${from} has to be one address, with a name or without, such as Example <no-reply@example.com>`,
    )
  return from
}

/** What works otherwise than an operator may think. */
export function walletWarnings(config: Config, { isForTrial, party, url }: WalletPlace): readonly string[] {
  const warnings: string[] = []
  if (config.EDITOR_URL !== undefined && !isSecure(new URL(config.EDITOR_URL)))
    warnings.push(`nobody can sign in at the editor: EDITOR_URL, ${config.EDITOR_URL}, has to be https`)
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
