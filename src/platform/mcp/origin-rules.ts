import { isIPv4 } from 'node:net'
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../errors.ts'
import { AsyncLocalStorage } from 'node:async_hooks'

export interface OriginRules {
  /** Hosts allowed besides this machine, normalised by `URL` and without ports. Empty: all. */
  readonly allowedHosts: readonly string[]
  /** Origins allowed besides those of this machine. */
  readonly allowedOrigins: readonly string[]
  /** Such as "Add it to MCP_ALLOWED_HOSTS." */
  readonly remedies: { readonly host: string; readonly origin: string }
}

/** As `URL` writes it. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}

/**
 * By DNS rebinding any site's name may point to this machine; `Host` and `Origin` are then that
 * name. Source: MCP specification, transports.
 * @throws ApiError 403 `host-not-allowed`, 403 `origin-not-allowed`
 */
export function requireKnownOrigin(headers: IncomingHttpHeaders, rules: OriginRules): void {
  const host = hostNameOf(`http://${headers.host ?? ''}`)
  const isHostListed = host !== undefined && (isLoopbackName(host) || rules.allowedHosts.includes(host))
  if (rules.allowedHosts.length > 0 && !isHostListed) {
    throw new ApiError(403, 'host-not-allowed', `The Host header is not a name of this server. ${rules.remedies.host}`)
  }
  if (!isOriginAllowed(headers.origin, rules)) {
    throw new ApiError(
      403,
      'origin-not-allowed',
      `Requests from pages of this Origin are not allowed. ${rules.remedies.origin}`,
    )
  }
}

export function isAddressedLocally({ host, origin }: IncomingHttpHeaders): boolean {
  return isLocal(`http://${host ?? ''}`) && (origin === undefined || isLocal(origin))
}

/** Undefined for programs and pages that may not call. */
export function allowedOriginOf(headers: IncomingHttpHeaders, rules: OriginRules): string | undefined {
  return headers.origin !== undefined && isOriginAllowed(headers.origin, rules) ? headers.origin : undefined
}

function isOriginAllowed(origin: string | undefined, rules: OriginRules): boolean {
  return origin === undefined || isLocal(origin) || rules.allowedOrigins.includes(origin)
}

function isLocal(address: string): boolean {
  const name = hostNameOf(address)
  return name !== undefined && isLoopbackName(name)
}

function hostNameOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined
}

/** Carries the client's network when one of our services calls our MCP server. */
export const clientHeader = 'x-flowfarm-client'

/** One connection to an MCP server serves all clients. */
export const servedClient = new AsyncLocalStorage<string>()
