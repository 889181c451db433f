import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ToolSet, streamText } from 'ai'
import type { ModelState } from '../../../platform/llm/model-state.ts'
import type { ChatMode } from '../chat-modes.ts'

/** What goes to a provider with each call: effort, budget for thinking, caching. */
export type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>

/** The model of a mode, and how it is called. */
export interface ChatModel {
  readonly state: ModelState
  readonly model: LanguageModelV4
  readonly providerOptions: ProviderOptions
  /** Of one step. Where a budget for thinking is given, that comes on top. */
  readonly mostOutputTokens: number
  /** Whether what it thinks is streamed to the client. */
  readonly tellsReasoning: boolean
  /** Tools that the provider runs itself: `web_search`, or none. */
  readonly providerTools: ToolSet
}

/** The models of all modes. */
export interface ChatModels {
  /** Modes that may be chosen, the usual one among them, in the order of `chatModes`, with what answers. Empty where there is no model. */
  readonly modes: readonly { readonly mode: ChatMode; readonly state: ModelState }[]
  /** For requests that name none: balanced where that may be chosen, else the first that may. */
  readonly usual: ChatMode
  /** What to set to have a model; undefined where there is one. */
  readonly remedy: string | undefined
  /** @throws ApiError 503 `no-model`, with what to set; 400 `mode-not-allowed` */
  of(mode: ChatMode): ChatModel
}
