import { BlockList, isIP, isIPv6 } from 'node:net'
import { FatalError } from '../errors.ts'

/** An HTTP proxy, used by CONNECT. */
export interface Proxy {
  /** IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** `user:password`. */
  readonly credentials: string | undefined
  /** For messages. */
  readonly variable: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The names and precedence of gRPC; `http_proxy` applies to TLS as well. */
const proxyVariables = ['grpc_proxy', 'https_proxy', 'http_proxy'] as const
const exceptionVariables = ['no_grpc_proxy', 'no_proxy'] as const

/**
 * Undefined if `no_proxy` matches the node.
 * @throws FatalError `proxy-invalid`; the message contains no credentials
 */
export function proxyFor(
  node: { readonly host: string; readonly port: number },
  environment: Environment = process.env,
): Proxy | undefined {
  const variable = proxyVariables.find((name) => !isBlank(environment[name]))
  if (variable === undefined) return undefined
  const proxy = parseProxy(variable, environment[variable] ?? '')
  const exceptions = exceptionVariables.map((name) => environment[name]).find((value) => !isBlank(value)) ?? ''
  return exceptions.split(',').some((entry) => matches(entry.trim().toLowerCase(), node)) ? undefined : proxy
}

export function connectDirectly(host: string, environment: Record<string, string | undefined> = process.env): void {
  const [before] = exceptionVariables.map((name) => environment[name]).filter((value) => !isBlank(value))
  environment['no_grpc_proxy'] = before === undefined ? host : `${before},${host}`
}

function parseProxy(variable: string, text: string): Proxy {
  const trimmed = text.trim()
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`)
  const refuse = (reason: string): FatalError =>
    new FatalError(
      'proxy-invalid',
      `Cannot use the proxy of ${variable}: ${reason}. Set it to http://host:port or http://user:password@host:port.`,
    )
  if (url === null || url.hostname === '') throw refuse('not an address')
  if (url.protocol !== 'http:') throw refuse(`unsupported scheme ${url.protocol}//`)
  return {
    host: withoutBrackets(url.hostname),
    port: url.port === '' ? 80 : Number(url.port),
    credentials: url.username === '' ? undefined : decode(`${url.username}:${url.password}`, refuse),
    variable,
  }
}

function decode(text: string, refuse: (reason: string) => FatalError): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refuse('user name and password are not percent-encoded')
  }
}

/**
 * `*`, a name (with subdomains, with or without a leading dot), an address or a network; names and
 * addresses may have a port.
 */
function matches(entry: string, node: { readonly host: string; readonly port: number }): boolean {
  const host = node.host.toLowerCase().replace(/\.$/, '')
  if (entry === '') return false
  if (entry === '*') return true
  const [network = '', prefix] = entry.split('/')
  if (prefix !== undefined) return isIP(host) !== 0 && isInNetwork(host, withoutBrackets(network), Number(prefix))
  const { name, port } = splitPort(entry)
  if (port !== undefined && port !== node.port) return false
  if (isIP(host) !== 0) return host === name
  const domain = name.replace(/^\*?\./, '')
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
}

function isInNetwork(host: string, network: string, prefix: number): boolean {
  const family = isIP(network)
  if (family === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}

function splitPort(entry: string): { readonly name: string; readonly port: number | undefined } {
  const match = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry)
  if (match === null) return { name: withoutBrackets(entry), port: undefined }
  return { name: withoutBrackets(match[1] ?? ''), port: Number(match[2]) }
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}
