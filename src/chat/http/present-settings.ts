import { historyLimits } from '../history/history-limits.ts'
import type { ChatParts } from './chat-parts.ts'

/** What a page is told before anybody has shown a token: nothing of it is a secret. */
export interface PresentedSettings {
  readonly modes: readonly { readonly mode: string; readonly model: string }[]
  readonly default_mode: string
  /** Whether answers are scripted: example questions have one, and no others. */
  readonly is_scripted: boolean
  /** What to set to have a model; null where there is one. */
  readonly remedy: string | null
  readonly needs_token: boolean
  readonly examples: readonly string[]
  readonly explorer_url: string | null
  readonly link_hosts: readonly string[]
  readonly tools: readonly string[]
  readonly most_message_characters: number
}

export function presentSettings(parts: ChatParts, needsToken: boolean): PresentedSettings {
  const { models, examples, explorerUrl, linkHosts } = parts
  return {
    modes: models.modes.map(({ mode, state }) => ({ mode, model: `${state.provider}/${state.name}` })),
    default_mode: models.usual,
    is_scripted: models.modes.some(({ state }) => state.isScripted),
    remedy: models.remedy ?? null,
    needs_token: needsToken,
    examples,
    explorer_url: explorerUrl ?? null,
    link_hosts: linkHosts,
    tools: parts.toolNames(),
    most_message_characters: historyLimits.messageCharacters,
  }
}
