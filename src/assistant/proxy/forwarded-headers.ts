import type { OutgoingHttpHeaders } from 'node:http'

/** RFC 9110, section 7.6.1. */
const hopByHop: ReadonlySet<string> = new Set([
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

/** Forwarded even if `Connection` names them. */
const endToEndAlways: ReadonlySet<string> = new Set(['host', 'content-length', 'content-type', 'content-encoding'])

/**
 * Accepted from proxies only. `X-Forwarded-For` is always forwarded, since it is read from its end.
 */
const proxyOnly: ReadonlySet<string> = new Set([
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

export interface Sender {
  readonly peer: string
  readonly isProxy: boolean
  /** The peer, or the client that a trusted proxy names. */
  readonly client: string
}

export type Framing = { readonly bytes: string } | 'chunked' | 'none'

export interface RequestHeaders {
  readonly raw: readonly string[]
  readonly sender: Sender
  readonly framing: Framing
  readonly requestId: string
  readonly via: string
}

export function headersToUpstream({ raw, sender, framing, requestId, via }: RequestHeaders): OutgoingHttpHeaders {
  const headers = endToEnd(raw)
  // The proxy has sent 100 Continue itself.
  headers.delete('expect')
  if (!sender.isProxy) for (const name of proxyOnly) headers.delete(name)
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

/** @param raw names and values alternating, as received */
export function headersToClient(raw: readonly string[]): OutgoingHttpHeaders {
  return outgoing(endToEnd(raw))
}

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
  for (const name of [...hopByHop, ...named]) if (!endToEndAlways.has(name)) headers.delete(name)
  return headers
}

function outgoing(headers: ReadonlyMap<string, string[]>): OutgoingHttpHeaders {
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}
