import { Resolver } from 'node:dns/promises'
import { asError } from '../errors.ts'
import { literalAddress } from './target-policy.ts'
import type { TargetPolicy } from './target-policy.ts'

/** Looks up all addresses of a host. @throws when it has none or nobody answers */
export type LookUp = (host: string) => Promise<readonly string[]>

/** Nothing is sent there; the message says why, for the owner of the endpoint. */
export class TargetRefused extends Error {}

export interface DnsOptions {
  /** For one question to one server; each is asked twice. Default 3,000 ms. */
  readonly timeoutMs?: number
  /** `<address>:<port>`; default: those of the system. */
  readonly servers?: readonly string[]
}

/**
 * Addresses by DNS, without the system's resolver, whose few threads one dead name server could hold. `localhost`
 * is what RFC 6761 says it is; names of /etc/hosts are not known.
 */
export function dnsLookUp({ timeoutMs = 3000, servers }: DnsOptions = {}): LookUp {
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
 * The address to connect to: the first of the host's that may be sent to. It is looked up for each attempt, and the
 * connection is made to this very address, so that a name that leads elsewhere a moment later changes nothing.
 * @throws TargetRefused when one of them may not be: a host with public and private addresses is up to no good
 */
export async function resolveTarget(url: URL, policy: TargetPolicy, lookUp: LookUp): Promise<string> {
  const refusal = policy.refusalOfUrl(url)
  if (refusal !== undefined) throw new TargetRefused(refusal)
  const literal = literalAddress(url)
  const addresses = literal === undefined ? await lookUp(url.hostname) : [literal]
  // Both are tried of localhost, of which one may be closed to us without any ill will.
  const isLoopback = /(^|\.)localhost\.?$/.test(url.hostname)
  let chosen: string | undefined
  let refused: string | undefined
  for (const address of addresses) {
    const problem = policy.refusalOfAddress(address, url)
    if (problem === undefined) chosen ??= address
    else refused ??= problem
  }
  if (chosen === undefined || (refused !== undefined && !isLoopback))
    throw new TargetRefused(refused ?? 'its name leads to no address')
  return chosen
}
