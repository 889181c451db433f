import type { KeyTier } from '../platform/auth/developer-keys.ts'

/** Null: unlimited. */
export interface WebhookLimits {
  readonly endpoints: number | null
  readonly subscriptions: number | null
  /** Per clock hour; further ones wait. */
  readonly eventsPerHour: number | null
}

export const webhookLimits: Readonly<Record<KeyTier, WebhookLimits>> = {
  free: { endpoints: 10, subscriptions: 10, eventsPerHour: 5000 },
  pro: { endpoints: 50, subscriptions: 50, eventsPerHour: 50_000 },
  enterprise: { endpoints: 100, subscriptions: 500, eventsPerHour: 500_000 },
  unlimited: { endpoints: null, subscriptions: null, eventsPerHour: null },
}

export interface WebhookOwner {
  readonly keyId: number
  readonly tier: KeyTier
}
