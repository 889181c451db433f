import type { ProviderOptions } from './chat-models.ts'

/** The budget of the mode deep, tokens. */
export const thinkingBudget = 10_000

/** How models of Anthropic think: with a budget of tokens, as much as they find right, or not at all. */
export type ThinkingForm = 'budget' | 'adaptive' | 'none'

/**
 * How a model of Anthropic is told to think, by its name: Opus 4.7 and all later ones refuse a budget, and those before 3.7 think not
 * at all. Other servers of its interface have models of other names, which take the budget.
 */
export function thinkingForm(name: string): ThinkingForm {
  if (!name.includes('claude')) return 'budget'
  if (/claude-(?:instant|v?2|3-(?:5|opus|sonnet|haiku))/.test(name)) return 'none'
  return /claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[0-6](?!\d)|-\d{8}|[@:]|$))/.test(name) ? 'budget' : 'adaptive'
}

/** What a call of a model of Anthropic that is to think carries. */
export function anthropicThinking(name: string): ProviderOptions {
  const form = thinkingForm(name)
  if (form === 'none') return {}
  if (form === 'budget') return { anthropic: { thinking: { type: 'enabled', budgetTokens: thinkingBudget } } }
  // Without `display` their thoughts come without words.
  return { anthropic: { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'high' } }
}

/** What a call of one that is not to think carries: from generation 5 on they do unless they are told. */
export function anthropicWithoutThinking(name: string): ProviderOptions {
  return /claude-[a-z]+-(?:[5-9]|\d\d)/.test(name) ? { anthropic: { thinking: { type: 'disabled' } } } : {}
}
