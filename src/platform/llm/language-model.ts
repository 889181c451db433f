import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelSettings } from './settings.ts'

export interface LanguageModelOptions {
  /** The model is to call tools. Default: it is not. */
  readonly callsTools?: boolean
}

/**
 * The model of a provider, as the AI SDK calls it.
 * @param callProvider what its calls go through, `providerFetch`
 */
export function openLanguageModel(
  { provider, name, apiKey, baseUrl }: ModelSettings,
  callProvider: typeof fetch,
  { callsTools = false }: LanguageModelOptions = {},
): LanguageModelV4 {
  const base = { ...(baseUrl === undefined ? {} : { baseURL: baseUrl }), fetch: callProvider }
  const key = apiKey === undefined ? {} : { apiKey }
  if (provider === 'anthropic') return createAnthropic({ ...base, ...key })(name)
  if (provider === 'openai') {
    const openai = createOpenAI({ ...base, ...key })
    // OpenAI's models that think (GPT-5.4 and later) take tools at its responses alone. Servers that only resemble OpenAI's have chat
    // completions, and some of them nothing else.
    return callsTools && baseUrl === undefined ? openai.responses(name) : openai.chat(name)
  }
  // They tell the tokens of a streamed reply only where they are asked to.
  return createOpenAICompatible({ ...base, ...key, name: provider, baseURL: baseUrl ?? '', includeUsage: true })(name)
}
