import { optionalChoice, optionalText, optionalUrl } from '../setting.ts'
import type { Setting, SettingValues } from '../setting.ts'

const group = 'Query service'

export const llmSettings = {
  LLM_PROVIDER: optionalChoice({
    group,
    values: ['anthropic', 'openai', 'openai-compatible', 'scripted'],
    defaultText: 'anthropic, or openai-compatible where LLM_BASE_URL is set',
    description:
      'API of the model that writes SQL and answers in the chat. openai-compatible: a server that ' +
      'supports chat completions, at LLM_BASE_URL. scripted: no model, for trials; it answers the example ' +
      'questions only.',
  }),
  LLM_API_KEY: optionalText({
    group,
    secret: true,
    description:
      'API key of the model. Without it, writing SQL from questions and the chat are disabled; everything else ' +
      'works.',
  }),
  LLM_MODEL: optionalText({
    group,
    description: 'Name of the model. Default: a mid-tier model of the provider; required for openai-compatible.',
  }),
  LLM_BASE_URL: optionalUrl({
    group,
    schemes: ['http', 'https'],
    description: 'URL of the model API, with or without /v1. Default: the URL of the provider.',
  }),
} satisfies Record<string, Setting<unknown>>

export interface ModelSettings {
  readonly provider: 'anthropic' | 'openai' | 'openai-compatible'
  readonly name: string
  /** Optional for self-hosted servers. */
  readonly apiKey: string | undefined
  /** With the version; undefined: the provider's default. */
  readonly baseUrl: string | undefined
}

/** Models of the providers' middle tier. */
const defaultModels = { anthropic: 'claude-sonnet-4-6', openai: 'gpt-5.4-mini' } as const

type LlmConfig = SettingValues<typeof llmSettings>

/** A returned text names the missing settings. */
export function modelSettings(
  config: LlmConfig,
): 'scripted' | { readonly settings: ModelSettings } | { readonly remedy: string } {
  const { LLM_API_KEY: apiKey, LLM_MODEL: model, LLM_BASE_URL: base } = config
  const provider = config.LLM_PROVIDER ?? providerAt(base)
  const baseUrl = base === undefined ? undefined : versionedUrl(base)
  if (provider === 'scripted') return provider
  if (provider !== 'openai-compatible') {
    if (apiKey === undefined)
      return { remedy: `Set LLM_API_KEY to a key of the provider that LLM_PROVIDER names (${provider}).` }
    return { settings: { provider, name: model ?? defaultModels[provider], apiKey, baseUrl } }
  }
  const missing = [...(baseUrl === undefined ? ['LLM_BASE_URL'] : []), ...(model === undefined ? ['LLM_MODEL'] : [])]
  if (baseUrl === undefined || model === undefined) {
    // The operator may mean another provider.
    const other =
      config.LLM_PROVIDER === undefined ? ' For a server with the API of Anthropic set LLM_PROVIDER=anthropic.' : ''
    return { remedy: `Set ${missing.join(' and ')}, required by LLM_PROVIDER=openai-compatible.${other}` }
  }
  return { settings: { provider, name: model, apiKey, baseUrl } }
}

/** Most servers speak chat completions. */
function providerAt(base: string | undefined): ModelSettings['provider'] {
  if (base === undefined) return 'anthropic'
  const { hostname } = new URL(base)
  if (hostname === 'api.anthropic.com') return 'anthropic'
  return hostname === 'api.openai.com' ? 'openai' : 'openai-compatible'
}

export function versionedUrl(address: string): string {
  const url = new URL(address)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = /\/v\d+(?:[a-z]+\d*)?$/.test(path) ? path : `${path}/v1`
  return url.href
}

export interface ModelState {
  readonly provider: string
  readonly name: string
  /** Answers the example questions only. */
  readonly isScripted: boolean
}
