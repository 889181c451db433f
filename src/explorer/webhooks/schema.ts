import { z } from 'zod'
import { keyTierNames } from '../../platform/auth/developer-keys.ts'
import type { KeyTier } from '../../platform/auth/developer-keys.ts'
import { conditionsSchema } from '../../webhooks/conditions.ts'
import type { DeliveryDetail, WebhookDelivery } from '../../webhooks/delivery-store.ts'
import type { WebhookEndpoint } from '../../webhooks/endpoint-store.ts'
import { eventTypeNames } from '../../webhooks/events.ts'
import type { SubscriptionState } from '../../webhooks/webhook-stores.ts'
import type { WebhookSubscription } from '../../webhooks/subscription-store.ts'
import type { WebhookUsage } from '../../webhooks/usage.ts'
import { webhookLimits } from '../../webhooks/webhook-limits.ts'
import { messageId } from '../../webhooks/deliver.ts'
import { timestampFormat } from '../formats.ts'

/** Where webhooks are sent. The secret is in the answer that makes it and in no other. */
export const endpointSchema = z
  .strictObject({
    id: z.int(),
    url: z.string().describe('Where deliveries are posted.'),
    description: z.string(),
    is_paused: z.boolean().describe('Nothing is sent; what happens meanwhile is sent when it goes on.'),
    paused_reason: z
      .enum(['owner', 'failures', 'gone'])
      .nullable()
      .describe('owner; failures: too many in a row; gone: it answered 410. Null: it is not paused.'),
    paused_at: timestampFormat.nullable(),
    failures: z.int().describe('Failed attempts in a row.'),
    previous_secret_until: timestampFormat
      .nullable()
      .describe('Until when the secret before the last rotation signs too.'),
    created_at: timestampFormat,
  })
  .meta({ id: 'WebhookEndpoint' })

export const endpointWithSecretSchema = z
  .strictObject({
    ...endpointSchema.shape,
    secret: z.string().describe('`whsec_` and the key of the HMAC in base64. It is shown here and never again.'),
  })
  .meta({ id: 'WebhookEndpointWithSecret' })

/** An endpoint with whose it is. */
export const ownedEndpointSchema = z
  .strictObject({
    ...endpointSchema.shape,
    key_id: z.int().describe('The developer key that owns it.'),
  })
  .meta({ id: 'OwnedWebhookEndpoint' })

/** Who is told of what. */
export const subscriptionSchema = z
  .strictObject({
    id: z.int(),
    endpoint_id: z.int(),
    event_types: z.array(z.enum(eventTypeNames)),
    conditions: conditionsSchema.meta({ id: 'WebhookConditions' }),
    is_enabled: z.boolean(),
    next_height: z.int().nullable().describe('Deliveries of all blocks below are made. Null: no block is stored yet.'),
    delivery_count: z.int().describe('Deliveries that were made, those removed since included.'),
    created_at: timestampFormat,
    changed_at: timestampFormat.describe('When you last changed it.'),
  })
  .meta({ id: 'WebhookSubscription' })

export const newSubscriptionSchema = z
  .strictObject({
    ...subscriptionSchema.shape,
    secret: z
      .string()
      .describe('What deliveries are signed with, where an endpoint was made too. It is shown here and never again.')
      .optional(),
  })
  .meta({ id: 'NewWebhookSubscription' })

/** A subscription, whose it is, and how sending to it goes. */
export const subscriptionStateSchema = z
  .strictObject({
    ...subscriptionSchema.shape,
    key_id: z.int().describe('The developer key that owns it.'),
    waiting: z.int().describe('Deliveries that wait, counted up to 10,000.'),
    oldest_waiting_at: timestampFormat.nullable().describe('When the oldest of them was made.'),
    next_attempt_at: timestampFormat
      .nullable()
      .describe(
        'Null: nothing waits, its endpoint is paused or its key is revoked. While it is being sent to: when ' +
          'another process takes over unless this one goes on.',
      ),
    is_being_sent: z.boolean(),
    is_over_limit: z
      .boolean()
      .describe(
        'Its key was told of as many events in this hour as its tier allows: what comes next waits until the ' +
          'hour is over.',
      ),
  })
  .meta({ id: 'WebhookSubscriptionState' })

/** What a developer key has, of what its tier allows. */
export const usageSchema = z
  .strictObject({
    tier: z.enum(keyTierNames),
    endpoints: z.int(),
    endpoints_limit: z.int().nullable().describe('Null: as many as you like, as of all limits.'),
    subscriptions: z.int(),
    subscriptions_limit: z.int().nullable(),
    events_this_hour: z
      .int()
      .describe(
        'Events that you were told of. What comes when they are as many as the limit waits until the hour is over.',
      ),
    events_per_hour_limit: z.int().nullable(),
    hour_ends_at: timestampFormat,
  })
  .meta({ id: 'WebhookUsage' })

/** What became of one delivery. */
export const deliverySchema = z
  .strictObject({
    sequence: z.int().describe('Counts up from 1 for each subscription.'),
    message_id: z.string().describe('`webhook-id`, the same for all attempts.'),
    subscription_id: z.int(),
    event_type: z.string(),
    block_height: z.int(),
    status: z
      .enum(['pending', 'delivered', 'dead'])
      .describe('dead: given up after too many attempts; it can be replayed.'),
    attempt_count: z.int(),
    response_status: z.int().nullable().describe('HTTP status of the last attempt; null where none came.'),
    latency_ms: z.int().nullable().describe('Of the last attempt.'),
    error: z.string().nullable().describe('Why the last attempt failed.'),
    response_excerpt: z.string().nullable().describe('The beginning of the answer to the last attempt.'),
    created_at: timestampFormat,
    finished_at: timestampFormat.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

export const deliveryDetailSchema = z
  .strictObject({
    ...deliverySchema.shape,
    body: z.string().describe('The text that is posted, to the byte.'),
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
      .describe('Attempts that failed, in their order.'),
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
