/** Tiers of developer keys, with the requests a second that a key of each may make; null: as many as it likes. */
export const keyTiers = { free: 20, pro: 50, enterprise: 200, unlimited: null } as const

export type KeyTier = keyof typeof keyTiers

export const keyTierNames = ['free', 'pro', 'enterprise', 'unlimited'] as const satisfies readonly KeyTier[]
