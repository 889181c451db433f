import { isIP } from 'node:net'
import { FatalError } from '../../platform/errors.ts'

/** For whom passkeys are: decided by settings alone, and by nothing that a request says. */
export interface RelyingParty {
  /** A domain, without scheme and port. */
  readonly id: string
  /** As browsers show it. */
  readonly name: string
  /** Whether pages of an origin, as browsers write it, may use the passkeys. */
  allows(origin: string): boolean
}

export interface RelyingPartySettings {
  /** WALLET_URL, or where the service is reached without it. */
  readonly url: string
  /** WALLET_RP_ID. */
  readonly rpId: string | undefined
  /** WALLET_RP_NAME. */
  readonly rpName: string
  /** WALLET_ORIGINS. */
  readonly origins: readonly string[]
}

interface OriginRule {
  readonly protocol: string
  /** Without the `*.` of a pattern. */
  readonly host: string
  readonly port: string
  /** Every host below `host`, and not that itself. */
  readonly isPattern: boolean
}

/** @throws FatalError `bad-relying-party` that names the variable and the remedy */
export function readRelyingParty({ url, rpId, rpName, origins }: RelyingPartySettings): RelyingParty {
  const own = parsed(url)
  if (own === undefined) throw wrong('WALLET_URL', `${url} is no URL`)
  const id = (rpId ?? own.hostname).toLowerCase()
  const remedy = rpId === undefined ? 'WALLET_URL needs a host with a name, or WALLET_RP_ID has to be set: ' : ''
  if (!isDomain(id))
    throw wrong(
      'WALLET_RP_ID',
      `${remedy}${id} is no domain. It has to be one such as example.com, or localhost, without scheme and port`,
    )
  const texts = origins.length === 0 ? [own.origin] : origins
  const rules = texts.map((text) => readRule(text, id, origins.length === 0 ? 'WALLET_URL' : 'WALLET_ORIGINS'))
  return { id, name: rpName, allows: (origin) => isAllowed(origin, rules) }
}

function readRule(text: string, rpId: string, variable: string): OriginRule {
  const [, before = '', pattern = '', rest = ''] = /^([a-z]+:\/\/)(\*\.)?([^*]*)$/.exec(text) ?? []
  const url = parsed(`${before}${rest}`)
  if (url === undefined || url.origin !== `${before}${rest}`.replace(/\/$/, '')) {
    throw wrong(
      variable,
      `${text} is no origin. It has to be one such as https://wallet.example.com or https://*.example.com, ` +
        'without path',
    )
  }
  const { protocol, hostname: host, port } = url
  if (!isSecure(url)) throw wrong(variable, `${text} has to be https; only localhost may be http`)
  if (!isAtOrBelow(host, rpId))
    throw wrong(variable, `${text} is not at or below the relying party ${rpId}: browsers give its pages no passkeys`)
  return { protocol, host, port, isPattern: pattern !== '' }
}

function isAllowed(origin: string, rules: readonly OriginRule[]): boolean {
  const url = parsed(origin)
  // What is not written as browsers write it was not written by one.
  if (url === undefined || url.origin !== origin || !isSecure(url) || url.hostname.split('.').includes('')) return false
  return rules.some(
    ({ protocol, host, port, isPattern }) =>
      url.protocol === protocol &&
      url.port === port &&
      (isPattern ? url.hostname.endsWith(`.${host}`) : url.hostname === host),
  )
}

/** As browsers have it: with TLS, or from this machine. */
function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isAtOrBelow(hostname, 'localhost'))
}

function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}

/** A name with a dot, or localhost: below names without one whoever likes has domains. */
function isDomain(text: string): boolean {
  const isName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(text)
  return isName && isIP(text) === 0 && (text.includes('.') || text === 'localhost')
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

function wrong(variable: string, problem: string): FatalError {
  return new FatalError('bad-relying-party', `${variable}: ${problem}.`, { details: { variable } })
}
