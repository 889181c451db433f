import type { Config } from '../base/config.ts'

/** Which model to ask, and how. */
export interface ModelSettings {
  readonly provider: 'anthropic' | 'openai' | 'openai-compatible'
  readonly name: string
  /** Servers of one's own often need none. */
  readonly apiKey: string | undefined
  /** With the version at its end; undefined: that of the provider. */
  readonly baseUrl: string | undefined
}

/** Models of the middle tier, by provider. */
const defaultModels = { anthropic: 'claude-sonnet-4-6', openai: 'gpt-5.4-mini' } as const

type LlmConfig = Pick<Config, 'LLM_PROVIDER' | 'LLM_API_KEY' | 'LLM_MODEL' | 'LLM_BASE_URL'>

/** `scripted`: there is to be none but the scripted one. Otherwise the settings, or what is missing in them, in words for whoever runs the service. */
export function modelSettings(config: LlmConfig): 'scripted' | { readonly settings: ModelSettings } | { readonly remedy: string } {
  const { LLM_PROVIDER: provider, LLM_API_KEY: apiKey, LLM_MODEL: model, LLM_BASE_URL: base } = config
  const baseUrl = base === undefined ? undefined : versionedUrl(base)
  if (provider === 'scripted') return provider
  if (provider !== 'openai-compatible') {
    if (apiKey === undefined) return { remedy: `Set LLM_API_KEY to a key of the provider that LLM_PROVIDER names (${provider}).` }
    return { settings: { provider, name: model ?? defaultModels[provider], apiKey, baseUrl } }
  }
  const missing = [...(baseUrl === undefined ? ['LLM_BASE_URL'] : []), ...(model === undefined ? ['LLM_MODEL'] : [])]
  if (baseUrl === undefined || model === undefined) return { remedy: `Set ${missing.join(' and ')}, which LLM_PROVIDER=openai-compatible needs.` }
  return { settings: { provider, name: model, apiKey, baseUrl } }
}

/** People give the address of an interface with its version or without; what it is asked with needs it. */
export function versionedUrl(address: string): string {
  const url = new URL(address)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = /\/v\d+(?:[a-z]+\d*)?$/.test(path) ? path : `${path}/v1`
  return url.href
}
