/** The list of epochs that the parts of staking share, newest first. */
export const epochList = ['/staking/epoch/stats', { limit: 50 }] as const
