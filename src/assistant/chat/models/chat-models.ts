import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { streamText, ToolSet } from 'ai'
import { ApiError, FatalError } from '../../../platform/errors.ts'
import { openLanguageModel } from '../../../platform/llm/language-model.ts'
import { providerFetch } from '../../../platform/llm/provider-fetch.ts'
import { modelSettings } from '../../../platform/llm/settings.ts'
import type { llmSettings, ModelSettings, ModelState } from '../../../platform/llm/settings.ts'
import type { Logger } from '../../../platform/log.ts'
import type { SettingValues } from '../../../platform/setting.ts'
import { chatModes, isChatMode, defaultMode } from '../chat-types.ts'
import type { ChatMode } from '../chat-types.ts'
import type { chatSettings } from '../settings.ts'

export type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>

export interface ChatModel {
  readonly state: ModelState
  readonly model: LanguageModelV4
  readonly providerOptions: ProviderOptions
  readonly maxOutputTokens: number
  readonly streamsReasoning: boolean
  readonly providerTools: ToolSet
}

export interface ChatModels {
  readonly modes: readonly { readonly mode: ChatMode; readonly state: ModelState }[]
  readonly defaultMode: ChatMode
  readonly remedy: string | undefined
  /** @throws ApiError 503 `no-model`, 400 `mode-not-allowed` */
  of(mode: ChatMode): ChatModel
}

export type ChatModelsConfig = Pick<
  SettingValues<typeof chatSettings & typeof llmSettings>,
  | 'LLM_PROVIDER'
  | 'LLM_API_KEY'
  | 'LLM_MODEL'
  | 'LLM_BASE_URL'
  | 'CHAT_MODES'
  | 'CHAT_MODEL_FAST'
  | 'CHAT_MODEL_DEEP'
  | 'CHAT_WEB_SEARCH'
>

export interface ChatModelsOptions {
  readonly scripted?: { readonly model: LanguageModelV4; readonly state: ModelState } | undefined
  readonly log?: Logger | undefined
  readonly callProvider?: typeof fetch
  readonly retryBaseMs?: number
}

const tiers = {
  anthropic: { fast: 'claude-haiku-4-5', deep: 'claude-opus-4-6' },
  openai: { fast: 'gpt-5.4-nano', deep: 'gpt-5.4' },
} as const

const variables: Readonly<Record<ChatMode, string>> = {
  fast: 'CHAT_MODEL_FAST',
  balanced: 'LLM_MODEL',
  deep: 'CHAT_MODEL_DEEP',
}

const maxOutputTokens: Readonly<Record<ChatMode, number>> = { fast: 8192, balanced: 16_384, deep: 32_768 }

/** Some self-hosted servers refuse more than their model's context. */
const maxTokensOfOwnServer = 8192

const maxReplyBytes = 64 * 1024 * 1024

const maxSearches = 5

/** @throws FatalError for an invalid mode in CHAT_MODES */
export function createChatModels(config: ChatModelsConfig, options: ChatModelsOptions = {}): ChatModels {
  const allowed = allowedModes(config.CHAT_MODES)
  const selected = allowed.find((mode) => mode === defaultMode) ?? allowed[0] ?? defaultMode
  const found = modelSettings(config)
  if (found === 'scripted') {
    if (options.scripted === undefined)
      return without('LLM_PROVIDER=scripted is not available here: set another provider and LLM_API_KEY.', selected)
    const { model, state } = options.scripted
    return chatModelsOf([[selected, { ...plain, model, state, maxOutputTokens: maxOutputTokens[selected] }]], selected)
  }
  if ('remedy' in found) return without(found.remedy, selected)
  return chatModelsOf(
    allowed.map((mode) => [mode, modelOf(mode, found.settings, config, options)]),
    selected,
  )
}

const plain: Pick<ChatModel, 'providerOptions' | 'streamsReasoning' | 'providerTools'> = {
  providerOptions: {},
  streamsReasoning: false,
  providerTools: {},
}

function allowedModes(words: readonly string[]): readonly ChatMode[] {
  const given = words.map((word) => word.toLowerCase())
  const wrong = given.find((word) => !isChatMode(word))
  if (wrong !== undefined)
    throw new FatalError(
      'bad-configuration',
      `CHAT_MODES has an invalid mode "${wrong}"; allowed: ${chatModes.join(', ')}`,
    )
  return chatModes.filter((mode) => given.includes(mode))
}

function modelOf(
  mode: ChatMode,
  settings: ModelSettings,
  config: ChatModelsConfig,
  options: ChatModelsOptions,
): ChatModel {
  const { callProvider = providerFetch(maxReplyBytes), retryBaseMs, log } = options
  const { provider } = settings
  const { name, variable } = nameOf(mode, settings, config)
  const state: ModelState = { provider, name, isScripted: false }
  const model = openLanguageModel({
    settings: { ...settings, name },
    callProvider,
    callsTools: true,
    variable,
    tooLongRemedy: ' Start a new chat, or ask a smaller question.',
    log,
    ...(retryBaseMs === undefined ? {} : { retryBaseMs }),
  })
  return {
    state,
    model,
    providerOptions: providerOptionsOf(mode, settings, name, config.CHAT_WEB_SEARCH),
    maxOutputTokens: maxTokensOf(mode, settings, name),
    streamsReasoning: mode === 'deep',
    providerTools: config.CHAT_WEB_SEARCH ? searchOf(settings, name) : {},
  }
}

function nameOf(
  mode: ChatMode,
  { provider, name }: ModelSettings,
  config: ChatModelsConfig,
): { readonly name: string; readonly variable: string } {
  if (mode === 'balanced') return { name, variable: variables.balanced }
  const set = mode === 'fast' ? config.CHAT_MODEL_FAST : config.CHAT_MODEL_DEEP
  if (set !== undefined) return { name: set, variable: variables[mode] }
  return provider === 'openai-compatible'
    ? { name, variable: variables.balanced }
    : { name: tiers[provider][mode], variable: variables[mode] }
}

function providerOptionsOf(
  mode: ChatMode,
  settings: ModelSettings,
  name: string,
  isSearching: boolean,
): ProviderOptions {
  const { provider, baseUrl } = settings
  if (provider === 'anthropic') return mode === 'deep' ? anthropicThinking(name) : anthropicWithoutThinking(name)
  if (provider !== 'openai') return {}
  const effort = mode === 'deep' ? { reasoningEffort: 'high' } : {}
  // OpenAI stores responses for a month unless `store` is false.
  return {
    openai:
      baseUrl === undefined
        ? {
            ...effort,
            ...(mode === 'deep' ? { reasoningSummary: 'auto' } : {}),
            ...(isSearching && hasOpenAiSearch(settings, name) ? { maxToolCalls: maxSearches } : {}),
            store: false,
          }
        : effort,
  }
}

function maxTokensOf(mode: ChatMode, { provider }: ModelSettings, name: string): number {
  if (provider === 'openai-compatible') return maxTokensOfOwnServer
  const hasBudget = provider === 'anthropic' && mode === 'deep' && thinkingForm(name) === 'budget'
  return hasBudget ? maxOutputTokens.balanced : maxOutputTokens[mode]
}

/** Compatible servers and the smallest models of OpenAI refuse the tool. */
function hasOpenAiSearch({ provider, baseUrl }: ModelSettings, name: string): boolean {
  return provider === 'openai' && baseUrl === undefined && name.startsWith('gpt-') && !name.includes('nano')
}

/** Descriptions only: they need no key and make no calls. */
function searchOf(settings: ModelSettings, name: string): ToolSet {
  if (hasOpenAiSearch(settings, name)) return { web_search: createOpenAI({ apiKey: 'none' }).tools.webSearch({}) }
  if (settings.provider !== 'anthropic' || !name.includes('claude')) return {}
  return { web_search: createAnthropic({ apiKey: 'none' }).tools.webSearch_20250305({ maxUses: maxSearches }) }
}

function chatModelsOf(models: readonly (readonly [ChatMode, ChatModel])[], selected: ChatMode): ChatModels {
  const byMode = new Map(models)
  return {
    modes: models.map(([mode, { state }]) => ({ mode, state })),
    defaultMode: selected,
    remedy: undefined,
    of: (mode) => {
      const model = byMode.get(mode)
      if (model !== undefined) return model
      throw new ApiError(
        400,
        'mode-not-allowed',
        `Field "mode" must be one of ${[...byMode.keys()].join(', ')}, not ${mode}.`,
        { field: 'mode' },
      )
    },
  }
}

function without(remedy: string, selected: ChatMode): ChatModels {
  return {
    modes: [],
    defaultMode: selected,
    remedy,
    of: () => {
      throw new ApiError(503, 'no-model', `No language model is configured. ${remedy}`)
    },
  }
}

/** Tokens, for mode deep. */
export const thinkingBudget = 10_000

export type ThinkingForm = 'budget' | 'adaptive' | 'none'

/** Opus 4.7 and later refuse a budget; models before 3.7 do not reason. */
export function thinkingForm(name: string): ThinkingForm {
  if (!name.includes('claude')) return 'budget'
  if (/claude-(?:instant|v?2|3-(?:5|opus|sonnet|haiku))/.test(name)) return 'none'
  return /claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[0-6](?!\d)|-\d{8}|[@:]|$))/.test(name) ? 'budget' : 'adaptive'
}

export function anthropicThinking(name: string): ProviderOptions {
  const form = thinkingForm(name)
  if (form === 'none') return {}
  if (form === 'budget') return { anthropic: { thinking: { type: 'enabled', budgetTokens: thinkingBudget } } }
  // Without `display`, reasoning has no text.
  return { anthropic: { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'high' } }
}

/** From generation 5 on, models reason unless it is disabled. */
export function anthropicWithoutThinking(name: string): ProviderOptions {
  return /claude-[a-z]+-(?:[5-9]|\d\d)/.test(name) ? { anthropic: { thinking: { type: 'disabled' } } } : {}
}
