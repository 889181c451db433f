import { z } from 'zod'
import type { DeveloperKey } from '../../platform/auth/developer-keys.ts'
import { conditionsSchema } from '../../webhooks/conditions.ts'
import { messageId } from '../../webhooks/deliver.ts'
import type { LoggedDelivery } from '../../webhooks/delivery-store.ts'
import type { WebhookEndpoint } from '../../webhooks/endpoint-store.ts'
import type { WebhookSubscription } from '../../webhooks/subscription-store.ts'
import { timestampFormat } from '../formats.ts'
import { eventTypeFormat } from './schema.ts'

/** Flow explorer webhook API: ids are strings; lists are `items` and `count`. */

const id = z.string().describe('Id, as a string.')
const userId = z.string().describe('Id of the account, or of the key if it belongs to no account.')

export function itemsOf<Item extends z.ZodType>(
  item: Item,
  name: string,
): z.ZodType<{ items: z.output<Item>[]; count: number }> {
  return z
    .strictObject({ items: z.array(item), count: z.int().describe('Number of items.') })
    .meta({ id: `${name}Items` })
}

export function items<Item>(all: Item[]): { items: Item[]; count: number } {
  return { items: all, count: all.length }
}

export const clientEndpointSchema = z
  .strictObject({
    id,
    user_id: userId,
    url: z.string(),
    description: z.string(),
    endpoint_type: z.literal('webhook'),
    is_active: z.boolean().describe('False if paused.'),
    created_at: timestampFormat,
  })
  .meta({ id: 'ClientEndpoint' })

export const newClientEndpointSchema = z
  .strictObject({
    ...clientEndpointSchema.shape,
    secret: z.string().describe('Signing secret. Returned only once.'),
  })
  .meta({ id: 'NewClientEndpoint' })

export const clientSubscriptionSchema = z
  .strictObject({
    id,
    user_id: userId,
    endpoint_id: id,
    event_type: eventTypeFormat.describe('First event type of the subscription.'),
    event_types: z.array(eventTypeFormat),
    conditions: conditionsSchema,
    is_enabled: z.boolean(),
    created_at: timestampFormat,
    updated_at: timestampFormat,
  })
  .meta({ id: 'ClientSubscription' })

export const clientKeySchema = z
  .strictObject({
    id,
    user_id: userId,
    key_prefix: z.string(),
    name: z.string(),
    is_active: z.literal(true),
    created_at: timestampFormat,
    last_used: timestampFormat.optional(),
  })
  .meta({ id: 'ClientKey' })

export const newClientKeySchema = z
  .strictObject({
    ...clientKeySchema.shape,
    key: z.string().describe('The key. Returned only once.'),
  })
  .meta({ id: 'NewClientKey' })

export const clientLogSchema = z
  .strictObject({
    id: z.string().describe('`webhook-id` of the delivery.'),
    subscription_id: id,
    endpoint_id: id,
    event_type: z.string(),
    payload: z.record(z.string(), z.unknown()).describe('Posted body.'),
    status_code: z.int().describe('HTTP status of the last attempt; 0 without a response.'),
    delivered_at: timestampFormat.describe(
      'Time of delivery or of the final failure; creation time while retries are pending.',
    ),
  })
  .meta({ id: 'ClientLog' })

export function presentClientEndpoint(one: WebhookEndpoint): z.output<typeof clientEndpointSchema> {
  return {
    id: String(one.id),
    user_id: String(one.keyId),
    url: one.url,
    description: one.description,
    endpoint_type: 'webhook',
    is_active: one.pausedAt === null,
    created_at: one.createdAt.toISOString(),
  }
}

export function presentClientSubscription(
  one: WebhookSubscription,
  keyId: number,
): z.output<typeof clientSubscriptionSchema> {
  const [first = 'block.sealed'] = one.eventTypes
  return {
    id: String(one.id),
    user_id: String(keyId),
    endpoint_id: String(one.endpointId),
    event_type: first,
    event_types: [...one.eventTypes],
    conditions: one.conditions,
    is_enabled: one.isEnabled,
    created_at: one.createdAt.toISOString(),
    updated_at: one.changedAt.toISOString(),
  }
}

export function presentClientKey(key: DeveloperKey): z.output<typeof clientKeySchema> {
  return {
    id: String(key.id),
    user_id: String(key.ownerId),
    key_prefix: key.prefix,
    name: key.name,
    is_active: true,
    created_at: key.createdAt.toISOString(),
    ...(key.lastUsedAt === null ? {} : { last_used: key.lastUsedAt.toISOString() }),
  }
}

export function presentClientLog(one: LoggedDelivery): z.output<typeof clientLogSchema> {
  return {
    id: messageId(one.subscriptionId, one.sequence),
    subscription_id: String(one.subscriptionId),
    endpoint_id: String(one.endpointId),
    event_type: one.eventType,
    payload: JSON.parse(one.body) as Record<string, unknown>,
    status_code: one.responseStatus ?? 0,
    delivered_at: (one.finishedAt ?? one.createdAt).toISOString(),
  }
}
