import { generateText } from 'ai'
import { ApiError } from '../../platform/errors.ts'
import { openLanguageModel } from '../../platform/llm/language-model.ts'
import { maskedError, maskSecrets } from '../../platform/llm/mask-secrets.ts'
import { providerFetch } from '../../platform/llm/provider-fetch.ts'
import type { ModelSettings, ModelState } from '../../platform/llm/settings.ts'
import type { ModelReply, ModelRequest, SqlModel } from './write-sql.ts'

export interface ProviderModelOptions {
  readonly settings: ModelSettings
  readonly timeoutMs?: number
  readonly retryBaseMs?: number
}

/** Providers reserve this amount, and some default to far more. */
const maxReplyTokens = 8192

const maxReplyBytes = 4 * 1024 * 1024

export class ProviderModel implements SqlModel {
  readonly state: ModelState
  readonly #options: ProviderModelOptions
  readonly #timeoutMs: number
  readonly #maskText: (text: string) => string

  constructor(options: ProviderModelOptions) {
    const { settings, timeoutMs = 60_000 } = options
    this.state = { provider: settings.provider, name: settings.name, isScripted: false }
    this.#options = options
    this.#timeoutMs = timeoutMs
    this.#maskText = maskSecrets(settings)
  }

  async reply({ instructions, messages, signal }: ModelRequest): Promise<ModelReply> {
    const { settings, retryBaseMs } = this.#options
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const deadline = performance.now() + this.#timeoutMs
    try {
      const { text, finishReason } = await generateText({
        model: openLanguageModel({
          settings,
          callProvider: providerFetch(maxReplyBytes),
          mayWait: (pauseMs) => performance.now() + pauseMs < deadline,
          ...(retryBaseMs === undefined ? {} : { retryBaseMs }),
        }),
        messages: [...messages],
        abortSignal: AbortSignal.any([signal, timeout]),
        maxRetries: 0,
        maxOutputTokens: maxReplyTokens,
        instructions: {
          role: 'system',
          content: instructions,
          providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
        },
      })
      return { text: this.#maskText(text), isCutOff: finishReason === 'length' }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiError) throw error
      const { provider, name } = this.state
      const reason = timeout.aborted
        ? `no reply within ${this.#timeoutMs / 1000} s`
        : 'invalid reply. Check LLM_BASE_URL'
      const cause = maskedError(error, this.#maskText)
      throw new ApiError(502, 'model-failed', `The model ${provider}/${name} failed: ${reason}.`, { cause })
    }
  }
}
