import { z } from 'zod'
import { keyTierNames } from '../../platform/auth/developer-keys.ts'
import type { KeyTier } from '../../platform/auth/developer-keys.ts'
import { conditionsSchema } from '../../webhooks/conditions.ts'
import type { DeliveryDetail, WebhookDelivery } from '../../webhooks/delivery-store.ts'
import type { WebhookEndpoint } from '../../webhooks/endpoint-store.ts'
import { eventTypeNames, ownEventForm } from '../../webhooks/events.ts'
import type { OwnEventType } from '../../webhooks/events.ts'
import type { SubscriptionState } from '../../webhooks/webhook-stores.ts'
import type { WebhookSubscription } from '../../webhooks/subscription-store.ts'
import type { WebhookUsage } from '../../webhooks/usage.ts'
import { webhookLimits } from '../../webhooks/webhook-limits.ts'
import { messageId } from '../../webhooks/deliver.ts'
import { timestampFormat } from '../formats.ts'
import { keyCursor } from '../paging/pages.ts'

/** Of lists by descending id or sequence. */
export const numberCursor = keyCursor({ number: /[1-9]\d{0,14}/ })

export function numberBefore(cursor: string | undefined): number | undefined {
  const key = numberCursor.parse(cursor)
  return key === undefined ? undefined : Number(key.number)
}

const ownEventType = z
  .string()
  .regex(ownEventForm)
  .describe('Rows of an own table: `own.<worker>.<table>`.') as z.ZodType as z.ZodType<OwnEventType, OwnEventType>
export const eventTypeFormat = z.union(
  [z.enum(eventTypeNames), ownEventType],
  'must be a type listed by /webhooks/event-types',
)

/** The secret is returned only on creation. */
export const endpointSchema = z
  .strictObject({
    id: z.int(),
    url: z.string().describe('Target of the deliveries.'),
    description: z.string(),
    is_paused: z.boolean().describe('Deliveries are held until the endpoint is resumed.'),
    paused_reason: z
      .enum(['owner', 'failures', 'gone'])
      .nullable()
      .describe('owner; failures: too many consecutive failures; gone: it returned 410. Null if not paused.'),
    paused_at: timestampFormat.nullable(),
    failures: z.int().describe('Consecutive failed attempts.'),
    previous_secret_until: timestampFormat.nullable().describe('End of the overlap of the previous secret.'),
    created_at: timestampFormat,
  })
  .meta({ id: 'WebhookEndpoint' })

export const exampleEndpoint = {
  id: 7,
  url: 'https://receiver.example/flow',
  description: 'Deposits',
  is_paused: false,
  paused_reason: null,
  paused_at: null,
  failures: 0,
  previous_secret_until: null,
  created_at: '2025-07-01T12:00:01.250Z',
}

export const endpointWithSecretSchema = z
  .strictObject({
    ...endpointSchema.shape,
    secret: z.string().describe('`whsec_` and the HMAC key in base64. Returned only once.'),
  })
  .meta({ id: 'WebhookEndpointWithSecret' })

export const ownedEndpointSchema = z
  .strictObject({
    ...endpointSchema.shape,
    key_id: z.int().describe('Developer key that owns it.'),
  })
  .meta({ id: 'OwnedWebhookEndpoint' })

export const subscriptionSchema = z
  .strictObject({
    id: z.int(),
    endpoint_id: z.int(),
    event_types: z.array(eventTypeFormat),
    conditions: conditionsSchema.meta({ id: 'WebhookConditions' }),
    is_enabled: z.boolean(),
    next_height: z
      .int()
      .nullable()
      .describe('Deliveries exist for all blocks below this height. Null before the first stored block.'),
    delivery_count: z.int().describe('Deliveries created, including pruned ones.'),
    created_at: timestampFormat,
    changed_at: timestampFormat.describe('Last change by the owner.'),
  })
  .meta({ id: 'WebhookSubscription' })

export const newSubscriptionSchema = z
  .strictObject({
    ...subscriptionSchema.shape,
    secret: z.string().describe('Signing secret, if an endpoint was created too. Returned only once.').optional(),
  })
  .meta({ id: 'NewWebhookSubscription' })

export const subscriptionStateSchema = z
  .strictObject({
    ...subscriptionSchema.shape,
    key_id: z.int().describe('Developer key that owns it.'),
    waiting: z.int().describe('Pending deliveries, counted up to 10,000.'),
    oldest_waiting_at: timestampFormat.nullable().describe('Creation time of the oldest pending delivery.'),
    next_attempt_at: timestampFormat
      .nullable()
      .describe(
        'Time of the next attempt. Null if nothing is pending, the endpoint is paused or the key is revoked. ' +
          'During an attempt: expiry of the lease of the sending process.',
      ),
    is_being_sent: z.boolean(),
    is_over_limit: z
      .boolean()
      .describe('The hourly event limit of the tier is reached; further events wait for the next hour.'),
  })
  .meta({ id: 'WebhookSubscriptionState' })

export const usageSchema = z
  .strictObject({
    tier: z.enum(keyTierNames),
    endpoints: z.int(),
    endpoints_limit: z.int().nullable().describe('Null, as for all limits: unlimited.'),
    subscriptions: z.int(),
    subscriptions_limit: z.int().nullable(),
    events_this_hour: z.int().describe('Events in this hour. Beyond the limit, events wait for the next hour.'),
    events_per_hour_limit: z.int().nullable(),
    hour_ends_at: timestampFormat,
  })
  .meta({ id: 'WebhookUsage' })

export const deliverySchema = z
  .strictObject({
    sequence: z.int().describe('Sequence number within the subscription, from 1.'),
    message_id: z.string().describe('`webhook-id`, equal for all attempts.'),
    subscription_id: z.int(),
    event_type: z.string(),
    block_height: z.int(),
    status: z.enum(['pending', 'delivered', 'dead']).describe('dead: failed after too many attempts; can be replayed.'),
    attempt_count: z.int(),
    response_status: z.int().nullable().describe('HTTP status of the last attempt; null without a response.'),
    latency_ms: z.int().nullable().describe('Latency of the last attempt.'),
    error: z.string().nullable().describe('Error of the last attempt.'),
    response_excerpt: z.string().nullable().describe('Start of the response body of the last attempt.'),
    created_at: timestampFormat,
    finished_at: timestampFormat.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

export const deliveryDetailSchema = z
  .strictObject({
    ...deliverySchema.shape,
    body: z.string().describe('Exact body that is posted.'),
    failures: z
      .array(
        z
          .strictObject({
            attempt: z.int(),
            failed_at: timestampFormat,
            response_status: z.int().nullable(),
            latency_ms: z.int(),
            error: z.string(),
            response_excerpt: z.string().nullable(),
          })
          .meta({ id: 'WebhookFailure' }),
      )
      .describe('Failed attempts, in order.'),
  })
  .meta({ id: 'WebhookDeliveryDetail' })

export function presentUsage(usage: WebhookUsage, tier: KeyTier): z.output<typeof usageSchema> {
  const limits = webhookLimits[tier]
  return {
    tier,
    endpoints: usage.endpoints,
    endpoints_limit: limits.endpoints,
    subscriptions: usage.subscriptions,
    subscriptions_limit: limits.subscriptions,
    events_this_hour: usage.events,
    events_per_hour_limit: limits.eventsPerHour,
    hour_ends_at: usage.hourEndsAt.toISOString(),
  }
}

export function presentEndpoint(endpoint: WebhookEndpoint): z.output<typeof endpointSchema> {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    is_paused: endpoint.pausedAt !== null,
    paused_reason: endpoint.pausedReason,
    paused_at: endpoint.pausedAt?.toISOString() ?? null,
    failures: endpoint.failures,
    previous_secret_until: endpoint.previousSecretUntil?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
  }
}

export function presentSubscription(one: WebhookSubscription): z.output<typeof subscriptionSchema> {
  return {
    id: one.id,
    endpoint_id: one.endpointId,
    event_types: [...one.eventTypes],
    conditions: one.conditions,
    is_enabled: one.isEnabled,
    next_height: one.nextHeight,
    delivery_count: one.deliveryCount,
    created_at: one.createdAt.toISOString(),
    changed_at: one.changedAt.toISOString(),
  }
}

export function presentOwnedEndpoint(endpoint: WebhookEndpoint): z.output<typeof ownedEndpointSchema> {
  return { ...presentEndpoint(endpoint), key_id: endpoint.keyId }
}

export function presentSubscriptionState(one: SubscriptionState): z.output<typeof subscriptionStateSchema> {
  return {
    ...presentSubscription(one),
    key_id: one.keyId,
    waiting: one.waiting,
    oldest_waiting_at: one.oldestWaitingAt?.toISOString() ?? null,
    next_attempt_at: one.dueAt?.toISOString() ?? null,
    is_being_sent: one.isBeingSent,
    is_over_limit: one.isOverLimit,
  }
}

export function presentDelivery(one: WebhookDelivery): z.output<typeof deliverySchema> {
  return {
    sequence: one.sequence,
    message_id: messageId(one.subscriptionId, one.sequence),
    subscription_id: one.subscriptionId,
    event_type: one.eventType,
    block_height: one.blockHeight,
    status: one.status,
    attempt_count: one.attemptCount,
    response_status: one.responseStatus,
    latency_ms: one.latencyMs,
    error: one.error,
    response_excerpt: one.responseExcerpt,
    created_at: one.createdAt.toISOString(),
    finished_at: one.finishedAt?.toISOString() ?? null,
  }
}

export function presentDeliveryDetail(one: DeliveryDetail): z.output<typeof deliveryDetailSchema> {
  return {
    ...presentDelivery(one),
    body: one.body,
    failures: one.failures.map((failure) => ({
      attempt: failure.attempt,
      failed_at: failure.failedAt.toISOString(),
      response_status: failure.responseStatus,
      latency_ms: failure.latencyMs,
      error: failure.error,
      response_excerpt: failure.responseExcerpt,
    })),
  }
}
