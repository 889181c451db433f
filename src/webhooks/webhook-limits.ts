import type { KeyTier } from '../platform/auth/developer-keys.ts'

/** What a developer key of a tier may have; null: as many as it likes. */
export interface WebhookLimits {
  readonly endpoints: number | null
  readonly subscriptions: number | null
  /** Events that it is told of in an hour of the clock. Those beyond wait for the next. */
  readonly eventsPerHour: number | null
}

export const webhookLimits: Readonly<Record<KeyTier, WebhookLimits>> = {
  free: { endpoints: 10, subscriptions: 10, eventsPerHour: 5000 },
  pro: { endpoints: 50, subscriptions: 50, eventsPerHour: 50_000 },
  enterprise: { endpoints: 100, subscriptions: 500, eventsPerHour: 500_000 },
  unlimited: { endpoints: null, subscriptions: null, eventsPerHour: null },
}

/** The developer key that asks. */
export interface WebhookOwner {
  readonly keyId: number
  readonly tier: KeyTier
}
