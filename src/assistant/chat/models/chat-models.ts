import { createAnthropic } from '@ai-sdk/anthropic'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { streamText, ToolSet } from 'ai'
import { ApiError, FatalError } from '../../../platform/errors.ts'
import { openLanguageModel } from '../../../platform/llm/language-model.ts'
import { maskSecrets } from '../../../platform/llm/mask-secrets.ts'
import { providerFetch } from '../../../platform/llm/provider-fetch.ts'
import { PatientModel } from '../../../platform/llm/retrying-model.ts'
import { modelSettings } from '../../../platform/llm/settings.ts'
import type { llmSettings, ModelSettings, ModelState } from '../../../platform/llm/settings.ts'
import type { Logger } from '../../../platform/log.ts'
import type { SettingValues } from '../../../platform/setting.ts'
import { chatModes, isChatMode, usualMode } from '../chat-types.ts'
import type { ChatMode } from '../chat-types.ts'
import type { chatSettings } from '../settings.ts'

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
  /** What answers where LLM_PROVIDER is `scripted`, with its state. */
  readonly scripted?: { readonly model: LanguageModelV4; readonly state: ModelState } | undefined
  readonly log?: Logger | undefined
  /** What calls of providers go through. Default: `fetch` with bounds. */
  readonly callProvider?: typeof fetch
  /** Upper bound of the first pause between two tries where the provider names none, in milliseconds. Default 1,000. */
  readonly retryBaseMs?: number
}

/** The smallest and the largest models of the providers that have several. */
const tiers = {
  anthropic: { fast: 'claude-haiku-4-5', deep: 'claude-opus-4-6' },
  openai: { fast: 'gpt-5.4-nano', deep: 'gpt-5.4' },
} as const

const variables: Readonly<Record<ChatMode, string>> = {
  fast: 'CHAT_MODEL_FAST',
  balanced: 'LLM_MODEL',
  deep: 'CHAT_MODEL_DEEP',
}

/** Tokens of one step. A model that thinks without a budget of its own takes what it thinks from them. */
const mostOutputTokens: Readonly<Record<ChatMode, number>> = { fast: 8192, balanced: 16_384, deep: 32_768 }

/** For servers of one's own, some of which refuse more than their model can hold beside the question. */
const mostTokensOfOwnServer = 8192

/** The longest reply of a step, with what the protocol puts around each of its words. */
const mostReplyBytes = 64 * 1024 * 1024

/** Searches in one step. */
const mostSearches = 5

/**
 * The models of all modes, as CHAT_MODES and the settings of the provider say.
 * @throws FatalError for a word in CHAT_MODES that is no mode
 */
export function createChatModels(config: ChatModelsConfig, options: ChatModelsOptions = {}): ChatModels {
  const allowed = allowedModes(config.CHAT_MODES)
  const usual = allowed.find((mode) => mode === usualMode) ?? allowed[0] ?? usualMode
  const found = modelSettings(config)
  if (found === 'scripted') {
    if (options.scripted === undefined)
      return without('LLM_PROVIDER is scripted, and there is no script: set another one, and LLM_API_KEY.', usual)
    const { model, state } = options.scripted
    // However long one thinks, a script says the same.
    return chatModelsOf([[usual, { ...plain, model, state, mostOutputTokens: mostOutputTokens[usual] }]], usual)
  }
  if ('remedy' in found) return without(found.remedy, usual)
  return chatModelsOf(
    allowed.map((mode) => [mode, modelOf(mode, found.settings, config, options)]),
    usual,
  )
}

const plain: Pick<ChatModel, 'providerOptions' | 'tellsReasoning' | 'providerTools'> = {
  providerOptions: {},
  tellsReasoning: false,
  providerTools: {},
}

function allowedModes(words: readonly string[]): readonly ChatMode[] {
  const given = words.map((word) => word.toLowerCase())
  const wrong = given.find((word) => !isChatMode(word))
  if (wrong !== undefined)
    throw new FatalError('bad-configuration', `CHAT_MODES must be some of ${chatModes.join(', ')}, not "${wrong}"`)
  return chatModes.filter((mode) => given.includes(mode))
}

function modelOf(
  mode: ChatMode,
  settings: ModelSettings,
  config: ChatModelsConfig,
  options: ChatModelsOptions,
): ChatModel {
  const { callProvider = providerFetch(mostReplyBytes), retryBaseMs, log } = options
  const { provider } = settings
  const { name, variable } = nameOf(mode, settings, config)
  const state: ModelState = { provider, name, isScripted: false }
  const model = new PatientModel({
    model: openLanguageModel({ ...settings, name }, callProvider, { callsTools: true }),
    state,
    variable,
    maskText: maskSecrets(settings),
    log,
    ...(retryBaseMs === undefined ? {} : { retryBaseMs }),
  })
  return {
    state,
    model,
    providerOptions: providerOptionsOf(mode, settings, name),
    mostOutputTokens: mostTokensOf(mode, settings, name),
    tellsReasoning: mode === 'deep',
    providerTools: config.CHAT_WEB_SEARCH ? searchOf(provider, name) : {},
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

function providerOptionsOf(mode: ChatMode, { provider, baseUrl }: ModelSettings, name: string): ProviderOptions {
  if (provider === 'anthropic') return mode === 'deep' ? anthropicThinking(name) : anthropicWithoutThinking(name)
  if (provider !== 'openai') return {}
  const effort = mode === 'deep' ? { reasoningEffort: 'high' } : {}
  // Its responses are kept by OpenAI for a month unless it is told not to; the completions of others know no such thing.
  return {
    openai:
      baseUrl === undefined
        ? { ...effort, ...(mode === 'deep' ? { reasoningSummary: 'auto' } : {}), store: false }
        : effort,
  }
}

function mostTokensOf(mode: ChatMode, { provider }: ModelSettings, name: string): number {
  if (provider === 'openai-compatible') return mostTokensOfOwnServer
  // A budget for thinking comes on top.
  const hasBudget = provider === 'anthropic' && mode === 'deep' && thinkingForm(name) === 'budget'
  return hasBudget ? mostOutputTokens.balanced : mostOutputTokens[mode]
}

/** Anthropic searches for its own models; other servers of its interface refuse a tool that they do not know. */
function searchOf(provider: ModelSettings['provider'], name: string): ToolSet {
  if (provider !== 'anthropic' || !name.includes('claude')) return {}
  // The tool is a description alone: it holds no key and calls nobody.
  return { web_search: createAnthropic({ apiKey: 'none' }).tools.webSearch_20250305({ maxUses: mostSearches }) }
}

function chatModelsOf(models: readonly (readonly [ChatMode, ChatModel])[], usual: ChatMode): ChatModels {
  const byMode = new Map(models)
  return {
    modes: models.map(([mode, { state }]) => ({ mode, state })),
    usual,
    remedy: undefined,
    of: (mode) => {
      const model = byMode.get(mode)
      if (model !== undefined) return model
      throw new ApiError(
        400,
        'mode-not-allowed',
        `Field "mode" may be ${[...byMode.keys()].join(', ')}, not ${mode}.`,
        { field: 'mode' },
      )
    },
  }
}

function without(remedy: string, usual: ChatMode): ChatModels {
  return {
    modes: [],
    usual,
    remedy,
    of: () => {
      throw new ApiError(503, 'no-model', `There is no model to answer. ${remedy}`)
    },
  }
}

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
