import type { OutgoingHttpHeaders } from 'node:http'

/** Headers of a connection. Source: RFC 9110, section 7.6.1. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** A sender may not remove these by naming them in `Connection`. */
const kept: ReadonlySet<string> = new Set(['host', 'content-length', 'content-type', 'content-encoding'])

/** Only proxies may send these. `X-Forwarded-For` is passed on in any case, since it is read from its end. */
const ofProxies: ReadonlySet<string> = new Set([
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fly-client-ip',
])

/** The origin of a request. */
export interface Sender {
  /** The peer of the connection. */
  readonly peer: string
  /** The peer is a trusted proxy. */
  readonly isProxy: boolean
  /** The peer, or the client that a trusted proxy names. */
  readonly client: string
}

/** How the body is delimited. */
export type Framing = { readonly bytes: string } | 'chunked' | 'none'

export interface RequestHeaders {
  /** Names and values alternating, as received. */
  readonly raw: readonly string[]
  readonly sender: Sender
  readonly framing: Framing
  readonly requestId: string
  /** The name of this proxy. */
  readonly via: string
}

/** The request headers for the upstream service. */
export function headersToUpstream({ raw, sender, framing, requestId, via }: RequestHeaders): OutgoingHttpHeaders {
  const headers = endToEnd(raw)
  // The proxy itself has sent 100 Continue.
  headers.delete('expect')
  if (!sender.isProxy) for (const name of ofProxies) headers.delete(name)
  const hops = headers.get('x-forwarded-for') ?? []
  headers.set('x-forwarded-for', [[...hops, sender.peer].join(', ')])
  headers.set('x-real-ip', [sender.client])
  if (!headers.has('x-forwarded-proto')) headers.set('x-forwarded-proto', ['http'])
  headers.set('x-request-id', [requestId])
  headers.set('via', [[...(headers.get('via') ?? []), via].join(', ')])
  headers.delete('content-length')
  if (framing === 'chunked') headers.set('transfer-encoding', ['chunked'])
  else if (framing !== 'none') headers.set('content-length', [framing.bytes])
  return outgoing(headers)
}

/** The response headers for the client. @param raw names and values alternating, as received */
export function headersToClient(raw: readonly string[]): OutgoingHttpHeaders {
  return outgoing(endToEnd(raw))
}

/** The end-to-end headers by lower-case name. */
function endToEnd(raw: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const values = headers.get(name)
    if (values === undefined) headers.set(name, [raw[i + 1] ?? ''])
    else values.push(raw[i + 1] ?? '')
  }
  const named = (headers.get('connection') ?? [])
    .join(',')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  for (const name of [...ofConnection, ...named]) if (!kept.has(name)) headers.delete(name)
  return headers
}

function outgoing(headers: ReadonlyMap<string, string[]>): OutgoingHttpHeaders {
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}
