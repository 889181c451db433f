import type { KeyTier } from '../auth/key-tiers.ts'

/** How many endpoints and subscriptions a developer key of each tier may have; null: as many as it likes. */
export const webhookLimits: Readonly<Record<KeyTier, { readonly endpoints: number | null; readonly subscriptions: number | null }>> = {
  free: { endpoints: 10, subscriptions: 10 },
  pro: { endpoints: 50, subscriptions: 50 },
  enterprise: { endpoints: 100, subscriptions: 500 },
  unlimited: { endpoints: null, subscriptions: null },
}

/** The developer key that asks. */
export interface WebhookOwner {
  readonly keyId: number
  readonly tier: KeyTier
}
