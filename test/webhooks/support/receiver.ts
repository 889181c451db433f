import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A received request with a verified signature. */
export interface Received {
  readonly id: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly type: string
    readonly event_id: string
    readonly block_height: number
    readonly data: Record<string, unknown>
  }
  /** `performance.now()` when it was complete. */
  readonly at: number
}

export interface ReceiverOptions {
  /** By path; `whsec_` and base64. */
  readonly secrets?: ReadonlyMap<string, string>
  /** Response instead of 204. */
  readonly answer?: (received: Received, response: ServerResponse) => void
  /** Enables https. */
  readonly certificate?: { readonly cert: string; readonly key: string }
}

/** A webhook receiver on 127.0.0.1. Violations of Standard Webhooks are collected in `problems`. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  readonly problems: readonly string[]
  /** Checked after each delivery. */
  until(isEnough: (received: readonly Received[]) => boolean): Promise<void>
  stop(): Promise<void>
}

export async function startReceiver({ secrets, answer, certificate }: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = []
  const problems: string[] = []
  const waiting = new Set<() => void>()
  const accept = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const path = request.url ?? ''
      const secret = secrets?.get(path)
      if (secret !== undefined) {
        const problem = signatureProblem(request.headers, text, secret)
        if (problem !== undefined) problems.push(problem)
      }
      const one: Received = {
        id: String(request.headers['webhook-id']),
        path,
        headers: request.headers,
        body: JSON.parse(text) as Received['body'],
        at: performance.now(),
      }
      received.push(one)
      if (answer === undefined) response.writeHead(204).end()
      else answer(one, response)
      for (const look of waiting) look()
    })
  }
  const server = certificate === undefined ? createServer(accept) : createSecureServer(certificate, accept)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    received,
    problems,
    until: (isEnough) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (!isEnough(received)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Implemented from the text of Standard Webhooks, independent of the sender. */
export function signatureProblem(headers: IncomingHttpHeaders, body: string, secret: string): string | undefined {
  const timestamp = Number(headers['webhook-timestamp'])
  if (!(Math.abs(Date.now() / 1000 - timestamp) < 300)) return 'too old'
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update([headers['webhook-id'], timestamp, body].join('.')).digest()
  const isGood = String(headers['webhook-signature'])
    .split(' ')
    .some((part) => {
      const [version, base64 = ''] = part.split(',')
      const given = Buffer.from(base64, 'base64')
      return version === 'v1' && given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
    })
  return isGood ? undefined : 'wrong signature'
}
