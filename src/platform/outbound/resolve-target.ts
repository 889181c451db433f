import { Resolver } from 'node:dns/promises'
import { asError } from '../errors.ts'
import { literalAddress } from './target-policy.ts'
import type { TargetPolicy } from './target-policy.ts'

/** @throws without addresses, or if DNS fails */
export type ResolveHost = (host: string) => Promise<readonly string[]>

/** The message is for the endpoint's owner. */
export class TargetRefused extends Error {}

export interface DnsOptions {
  /** Per query and server; each is tried twice. */
  readonly timeoutMs?: number
  /** `<address>:<port>`. */
  readonly servers?: readonly string[]
}

/**
 * The system resolver has few threads, which a dead name server could block. `localhost` follows
 * RFC 6761; /etc/hosts is ignored.
 */
export function resolveHost({ timeoutMs = 3000, servers }: DnsOptions = {}): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return async (host) => {
    if (/(^|\.)localhost\.?$/.test(host)) return ['127.0.0.1', '::1']
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (found.length > 0) return found
    throw four.status === 'rejected' ? asError(four.reason) : new Error(`no address of ${host}`)
  }
}

/**
 * The connection uses this exact address, so a later DNS change has no effect (DNS rebinding).
 * @throws TargetRefused if any address is not allowed: hosts that mix public and private addresses
 *   are hostile
 */
export async function resolveTarget(url: URL, policy: TargetPolicy, lookUp: ResolveHost): Promise<string> {
  const refusal = policy.refusalOfUrl(url)
  if (refusal !== undefined) throw new TargetRefused(refusal)
  const literal = literalAddress(url)
  const addresses = literal === undefined ? await lookUp(url.hostname) : [literal]
  // `localhost` resolves to both loopback addresses, of which only one may be allowed.
  const isLoopback = /(^|\.)localhost\.?$/.test(url.hostname)
  let chosen: string | undefined
  let refused: string | undefined
  for (const address of addresses) {
    const problem = policy.refusalOfAddress(address, url)
    if (problem === undefined) chosen ??= address
    else refused ??= problem
  }
  if (chosen === undefined || (refused !== undefined && !isLoopback))
    throw new TargetRefused(refused ?? 'its host name has no address')
  return chosen
}
