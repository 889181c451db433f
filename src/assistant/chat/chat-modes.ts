/** How much an answer may cost: the smallest model, a middle one, or the largest, which thinks before it answers. */
export const chatModes = ['fast', 'balanced', 'deep'] as const
export type ChatMode = (typeof chatModes)[number]

/** For requests that name none, or one that there is not. */
export const usualMode: ChatMode = 'balanced'

export function isChatMode(text: unknown): text is ChatMode {
  return typeof text === 'string' && (chatModes as readonly string[]).includes(text)
}
