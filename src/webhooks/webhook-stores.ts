import type pg from 'pg'
import { DeliveryStore } from './delivery-store.ts'
import { EndpointStore } from './endpoint-store.ts'
import { OverviewStore } from './overview-store.ts'
import { SubscriptionStore } from './subscription-store.ts'
import { targetPolicy } from '../platform/outbound/target-policy.ts'

/** What the API manages webhooks by. */
export interface WebhookStores {
  readonly endpoints: EndpointStore
  readonly subscriptions: SubscriptionStore
  readonly deliveries: DeliveryStore
  readonly overview: OverviewStore
}

export function webhookStores(pool: pg.Pool, allowedNetworks: readonly string[]): WebhookStores {
  const endpoints = new EndpointStore(pool, targetPolicy(allowedNetworks))
  return {
    endpoints,
    subscriptions: new SubscriptionStore(pool, endpoints),
    deliveries: new DeliveryStore(pool),
    overview: new OverviewStore(pool),
  }
}
