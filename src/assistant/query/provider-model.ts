import { APICallError, generateText } from 'ai'
import type { LanguageModel } from 'ai'
import { ApiError } from '../../platform/errors.ts'
import { openLanguageModel } from '../../platform/llm/language-model.ts'
import { maskedError, maskSecrets } from '../../platform/llm/mask-secrets.ts'
import type { MaskSecrets } from '../../platform/llm/mask-secrets.ts'
import { providerFailed, retryAfterMs } from '../../platform/llm/provider-failure.ts'
import { providerFetch } from '../../platform/llm/provider-fetch.ts'
import type { ModelSettings, ModelState } from '../../platform/llm/settings.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import type { ModelReply, ModelRequest, SqlModel } from './write-sql.ts'

export interface ProviderModelOptions {
  readonly settings: ModelSettings
  /** For one reply, with all tries, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  /** Tries for one reply. Default 3. */
  readonly mostTries?: number
  /** Upper bound of the first pause between two tries where the provider names none, in milliseconds. Default 1,000. */
  readonly retryBaseMs?: number
}

/** Room for a long statement, and for what models think before; the default of some is many times as much, and is reserved when it is asked for. */
const mostReplyTokens = 8192

/** Many times a reply of the longest length, with what the protocol puts around it. */
const mostReplyBytes = 4 * 1024 * 1024

/**
 * A model of a provider. A provider that is busy (429) or broken (5xx, no connection) is asked again, after the pause that it names
 * if that leaves time; everything else is told at once.
 */
export class ProviderModel implements SqlModel {
  readonly state: ModelState
  readonly #model: LanguageModel
  readonly #maskText: MaskSecrets
  readonly #timeoutMs: number
  readonly #mostTries: number
  readonly #retryBaseMs: number

  constructor({ settings, timeoutMs = 60_000, mostTries = 3, retryBaseMs = 1000 }: ProviderModelOptions) {
    this.state = { provider: settings.provider, name: settings.name, isScripted: false }
    this.#model = openLanguageModel(settings, providerFetch(mostReplyBytes))
    this.#maskText = maskSecrets(settings)
    this.#timeoutMs = timeoutMs
    this.#mostTries = mostTries
    this.#retryBaseMs = retryBaseMs
  }

  async reply(request: ModelRequest): Promise<ModelReply> {
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const deadline = performance.now() + this.#timeoutMs
    const signal = AbortSignal.any([request.signal, timeout])
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask(request, signal)
      } catch (error) {
        request.signal.throwIfAborted()
        if (timeout.aborted) throw this.#tooSlow(error)
        const waitMs = retryAfterMs(error) ?? backoffMs(attempt, this.#retryBaseMs, 8 * this.#retryBaseMs)
        const isWorthIt = APICallError.isInstance(error) && error.isRetryable && attempt < this.#mostTries
        if (!isWorthIt || performance.now() + waitMs >= deadline) {
          throw providerFailed(this.state, error, this.#maskText)
        }
        await pause(waitMs, request.signal)
      }
    }
  }

  async #ask({ instructions, messages }: ModelRequest, abortSignal: AbortSignal): Promise<ModelReply> {
    const { text, finishReason } = await generateText({
      model: this.#model,
      messages: [...messages],
      abortSignal,
      maxRetries: 0,
      maxOutputTokens: mostReplyTokens,
      // The instructions are long and always the same: the provider need not read them anew each time.
      instructions: {
        role: 'system',
        content: instructions,
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
    })
    return { text: this.#maskText(text), isCutOff: finishReason === 'length' }
  }

  #tooSlow(cause: unknown): ApiError {
    const { provider, name } = this.state
    const text = `The model ${provider}/${name} failed: it did not answer within ${this.#timeoutMs / 1000} s.`
    return new ApiError(502, 'model-failed', text, { cause: maskedError(cause, this.#maskText) })
  }
}
