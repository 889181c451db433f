import { isIP } from 'node:net'
import { FatalError } from '../../platform/errors.ts'

/** Comes from settings only, never from a request. */
export interface RelyingParty {
  /** Without scheme and port. */
  readonly id: string
  readonly name: string
  allows(origin: string): boolean
}

export interface RelyingPartySettings {
  readonly url: string
  readonly rpId: string | undefined
  readonly rpName: string
  readonly origins: readonly string[]
}

interface OriginRule {
  readonly protocol: string
  /** Without `*.`. */
  readonly host: string
  readonly port: string
  /** Hosts below `host`, but not `host` itself. */
  readonly isPattern: boolean
}

/** @throws FatalError `bad-relying-party` */
export function readRelyingParty({ url, rpId, rpName, origins }: RelyingPartySettings): RelyingParty {
  const own = parsed(url)
  if (own === undefined) throw wrong('WALLET_URL', `${url} is not a URL`)
  const id = (rpId ?? own.hostname).toLowerCase()
  const remedy = rpId === undefined ? 'WALLET_URL needs a host name, or set WALLET_RP_ID: ' : ''
  if (!isDomain(id))
    throw wrong(
      'WALLET_RP_ID',
      `${remedy}${id} is not a domain. Use a domain such as example.com, or localhost, without scheme and port`,
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
      `${text} is not an origin. Use https://wallet.example.com or https://*.example.com, without path`,
    )
  }
  const { protocol, hostname: host, port } = url
  if (!isSecure(url)) throw wrong(variable, `${text} must be https; only localhost may use http`)
  if (!isAtOrBelow(host, rpId))
    throw wrong(variable, `${text} is not at or below the relying party ${rpId}, so browsers reject its passkeys`)
  return { protocol, host, port, isPattern: pattern !== '' }
}

function isAllowed(origin: string, rules: readonly OriginRule[]): boolean {
  const url = parsed(origin)
  // Browsers send origins in normal form.
  if (url === undefined || url.origin !== origin || !isSecure(url) || url.hostname.split('.').includes('')) return false
  return rules.some(
    ({ protocol, host, port, isPattern }) =>
      url.protocol === protocol &&
      url.port === port &&
      (isPattern ? url.hostname.endsWith(`.${host}`) : url.hostname === host),
  )
}

function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isAtOrBelow(hostname, 'localhost'))
}

function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}

/** With a dot, or localhost. */
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
