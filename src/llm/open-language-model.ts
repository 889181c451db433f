import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import type { ModelSettings } from './model-settings.ts'

/**
 * The model of a provider, as the AI SDK calls it.
 * @param callProvider what its calls go through, `providerFetch`
 */
export function openLanguageModel({ provider, name, apiKey, baseUrl }: ModelSettings, callProvider: typeof fetch): Exclude<LanguageModel, string> {
  const base = { ...(baseUrl === undefined ? {} : { baseURL: baseUrl }), fetch: callProvider }
  const key = apiKey === undefined ? {} : { apiKey }
  if (provider === 'anthropic') return createAnthropic({ ...base, ...key })(name)
  // Chat completions rather than responses: servers that only resemble the provider's have these.
  if (provider === 'openai') return createOpenAI({ ...base, ...key }).chat(name)
  return createOpenAICompatible({ ...base, ...key, name: provider, baseURL: baseUrl ?? '' })(name)
}
