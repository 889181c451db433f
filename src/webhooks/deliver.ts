import { asError } from '../platform/errors.ts'
import { resolveTarget } from '../platform/outbound/resolve-target.ts'
import type { ResolveHost } from '../platform/outbound/resolve-target.ts'
import { bodySignature, standardSignature } from './signature.ts'
import { literalAddress, portOf } from '../platform/outbound/target-policy.ts'
import type { TargetPolicy } from '../platform/outbound/target-policy.ts'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type pg from 'pg'
import { query } from '../platform/db/pool.ts'

export interface Attempt {
  readonly subscriptionId: number
  readonly sequence: number
  readonly number: number
  readonly latencyMs: number
  readonly status: number | null
  readonly excerpt: string | null
  readonly error: string | null
  readonly retryAfterSeconds: number | undefined
}

export interface DeliverOptions {
  readonly poster: Poster
  readonly policy: TargetPolicy
  readonly lookUp: ResolveHost
  /** Delivery service of the operator; undefined: deliver directly. */
  readonly relay: { readonly url: URL; readonly token: string | undefined } | undefined
}

/** The same for all attempts and replays. */
export function messageId(subscriptionId: number, sequence: number): string {
  return `msg_${subscriptionId}_${sequence}`
}

/** Rejects only if the signal is aborted. */
export async function deliver(
  work: PendingWork,
  delivery: PendingDelivery,
  options: DeliverOptions,
  signal: AbortSignal,
): Promise<Attempt> {
  const began = performance.now()
  const common = { subscriptionId: work.subscriptionId, sequence: delivery.sequence, number: delivery.attempts + 1 }
  const latencyMs = (): number => Math.round(performance.now() - began)
  try {
    const { status, excerpt, retryAfterSeconds } = await post(work, delivery, options, signal)
    const error = status >= 200 && status < 300 ? null : statusMessage(status)
    return { ...common, latencyMs: latencyMs(), status, excerpt, error, retryAfterSeconds }
  } catch (error) {
    signal.throwIfAborted()
    return {
      ...common,
      latencyMs: latencyMs(),
      status: null,
      excerpt: null,
      error: printable(asError(error).message),
      retryAfterSeconds: undefined,
    }
  }
}

async function post(
  work: PendingWork,
  { sequence, eventType, body }: PendingDelivery,
  { poster, policy, lookUp, relay }: DeliverOptions,
  signal: AbortSignal,
): Promise<PostAnswer> {
  const target = new URL(work.url)
  const id = messageId(work.subscriptionId, sequence)
  const timestamp = Math.floor(Date.now() / 1000)
  const [secret] = work.secrets
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'flowfarm-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature({ id, timestamp, body }, work.secrets),
    'x-flowindex-event': eventType,
    ...(secret === undefined ? {} : { 'x-flowindex-signature': bodySignature(body, secret) }),
  }
  if (relay === undefined) {
    return poster.post({ url: target, address: await resolveTarget(target, policy, lookUp), headers, body }, signal)
  }
  // The relay is configured by the operator, so every address is allowed.
  const address = literalAddress(relay.url) ?? (await lookUp(relay.url.hostname))[0] ?? ''
  const handedOver = {
    ...headers,
    'webhook-target': target.href,
    ...(relay.token === undefined ? {} : { authorization: `Bearer ${relay.token}` }),
  }
  return poster.post({ url: relay.url, address, headers: handedOver, body }, signal)
}

/** Messages may quote the receiver, for example its certificate. */
function printable(message: string): string {
  return message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)
}

function statusMessage(status: number): string {
  return status >= 300 && status < 400 ? `status ${status}; redirects are not followed` : `status ${status}`
}

interface PostRequest {
  readonly url: URL
  /** Connects to this IP address regardless of DNS. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface PostAnswer {
  readonly status: number
  readonly excerpt: string
  readonly retryAfterSeconds: number | undefined
}

interface PosterOptions {
  readonly timeoutMs: number
}

/** Longer responses are cut off. */
const maxResponseBytes = 64 * 1024
const excerptCharacters = 500

/** Per host. */
const idleSockets = 64

class StaleConnection extends Error {}

/** Uses keep-alive connections. Does not follow redirects. */
export class Poster {
  readonly #timeoutMs: number
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: idleSockets, timeout: 30_000 }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: idleSockets, timeout: 30_000 }),
  }

  constructor({ timeoutMs }: PosterOptions) {
    this.#timeoutMs = timeoutMs
  }

  /** @throws without a response in time, or if the signal is aborted */
  async post(request: PostRequest, signal?: AbortSignal): Promise<PostAnswer> {
    const deadline = AbortSignal.timeout(this.#timeoutMs)
    const ending = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    try {
      return await this.#postOnce(request, ending).catch((error: unknown) => {
        if (error instanceof StaleConnection) return this.#postOnce(request, ending)
        throw error
      })
    } catch (error) {
      throw deadline.aborted ? new Error(`no response within ${this.#timeoutMs} ms`, { cause: error }) : error
    }
  }

  async #postOnce({ url, address, headers, body }: PostRequest, signal: AbortSignal): Promise<PostAnswer> {
    const isSecure = url.protocol === 'https:'
    const text = Buffer.from(body)
    const answer = Promise.withResolvers<PostAnswer>()
    let isAnswered = false
    const request: ClientRequest = (isSecure ? httpsRequest : httpRequest)({
      agent: this.#agents[isSecure ? 'https:' : 'http:'],
      host: address,
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      ...(isSecure && literalAddress(url) === undefined && isIP(url.hostname) === 0
        ? { servername: url.hostname }
        : {}),
      headers: { ...headers, host: url.host, 'content-length': text.byteLength },
      signal,
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && !isAnswered && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      answer.reject(isStale ? new StaleConnection() : error)
    })
    request.once('response', (response) => {
      isAnswered = true
      readAnswer(response).then(answer.resolve, answer.reject)
    })
    // A receiver that switches protocols (101) closes without an error.
    request.once('close', () => {
      if (!isAnswered) answer.reject(new Error('the connection was closed without a response'))
    })
    request.end(text)
    return answer.promise
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }
}

async function readAnswer(response: IncomingMessage): Promise<PostAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > maxResponseBytes) break
  }
  const retryAfter = response.headers['retry-after']
  return {
    status: response.statusCode ?? 0,
    // U+0000 cannot be stored.
    excerpt: Buffer.concat(chunks).toString('utf8').replaceAll('\0', '').slice(0, excerptCharacters),
    retryAfterSeconds: retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  }
}

interface PendingDelivery {
  readonly sequence: number
  readonly eventType: string
  readonly body: string
  readonly attempts: number
}

export interface PendingWork {
  readonly subscriptionId: number
  readonly url: string
  readonly secrets: readonly Buffer[]
  readonly deliveries: readonly PendingDelivery[]
}

interface Row {
  readonly subscription_id: number
  readonly url: string
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
  readonly sequence: number
  readonly event_type: string
  readonly body: string
  readonly attempt_count: number
}

/** Limit of body bytes read per subscription; the body that exceeds it is still read. */
const enoughBytes = 256 * 1024

/** Omits paused endpoints and revoked keys. */
export async function readPending(
  pool: pg.Pool,
  subscriptionIds: readonly number[],
  max: number,
): Promise<ReadonlyMap<number, PendingWork>> {
  const { rows } = await query<Row>(
    pool,
    `select s.id::float8 as subscription_id, e.url, e.secret, case when e.previous_secret_until > now() then
      e.previous_secret end as previous_secret,
       d.sequence::float8 as sequence, d.event_type, d.body, d.attempt_count
     from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id join app.developer_keys k
       on k.id = e.key_id
     cross join lateral (
       select *, sum(octet_length(d.body)) over (order by d.sequence) - octet_length(d.body) as bytes_before from (
         select * from app.webhook_deliveries w where w.subscription_id = s.id and w.status = 'pending' order by
           w.sequence limit $2
       ) d
     ) d
     where s.id = any ($1) and d.bytes_before < $3 and e.paused_at is null and k.revoked_at is null
     order by s.id, d.sequence`,
    [subscriptionIds, max, enoughBytes],
  )
  return new Map(
    [...Map.groupBy(rows, (row) => row.subscription_id)].flatMap(([subscriptionId, own]) => {
      const [first] = own
      return first === undefined
        ? []
        : [
            [
              subscriptionId,
              {
                subscriptionId,
                url: first.url,
                secrets: first.previous_secret === null ? [first.secret] : [first.secret, first.previous_secret],
                deliveries: own.map(({ sequence, event_type: eventType, body, attempt_count: attempts }) => ({
                  sequence,
                  eventType,
                  body,
                  attempts,
                })),
              },
            ],
          ]
    }),
  )
}
