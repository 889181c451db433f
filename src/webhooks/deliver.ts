import { asError } from '../platform/errors.ts'
import type { PendingDelivery, PendingWork } from './pending-deliveries.ts'
import type { PostAnswer, Poster } from './post.ts'
import { resolveTarget } from '../platform/outbound/resolve-target.ts'
import type { LookUp } from '../platform/outbound/resolve-target.ts'
import { bodySignature, standardSignature } from './signature.ts'
import { literalAddress } from '../platform/outbound/target-policy.ts'
import type { TargetPolicy } from '../platform/outbound/target-policy.ts'

/** What one attempt met. */
export interface Attempt {
  readonly subscriptionId: number
  readonly sequence: number
  /** Counts the attempts from 1. */
  readonly number: number
  readonly latencyMs: number
  /** Null: no answer came. */
  readonly status: number | null
  readonly excerpt: string | null
  /** Null: it is delivered. */
  readonly error: string | null
  readonly retryAfterSeconds: number | undefined
}

export interface DeliverOptions {
  readonly poster: Poster
  readonly policy: TargetPolicy
  readonly lookUp: LookUp
  /** A delivery service of the operator's own that is handed everything; undefined: we send ourselves. */
  readonly relay: { readonly url: URL; readonly token: string | undefined } | undefined
}

/** The id that the receiver sees: the same whenever the delivery is sent again. */
export function messageId(subscriptionId: number, sequence: number): string {
  return `msg_${subscriptionId}_${sequence}`
}

/** Makes one attempt. Rejects only when the signal is aborted. */
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
    const error = status >= 200 && status < 300 ? null : wordsFor(status)
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
  // The operator has named it, and may name any.
  const address = literalAddress(relay.url) ?? (await lookUp(relay.url.hostname))[0] ?? ''
  const handedOver = {
    ...headers,
    'webhook-target': target.href,
    ...(relay.token === undefined ? {} : { authorization: `Bearer ${relay.token}` }),
  }
  return poster.post({ url: relay.url, address, headers: handedOver, body }, signal)
}

/** Messages may quote the receiver, its certificate for one; U+0000 cannot be stored. */
function printable(message: string): string {
  return message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)
}

function wordsFor(status: number): string {
  return status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`
}
