import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { APICallError } from 'ai'
import { ApiError, asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { backoffMs, pause } from '../retry.ts'
import { maskedError, maskSecrets } from './mask-secrets.ts'
import type { MaskSecrets } from './mask-secrets.ts'
import type { ModelSettings, ModelState } from './settings.ts'

export interface LanguageModelOptions {
  readonly settings: ModelSettings
  readonly callProvider: typeof fetch
  readonly callsTools?: boolean
  /** The setting named in error messages. */
  readonly variable?: string
  /** Appended to errors about a conversation that exceeds the model's context. */
  readonly tooLongRemedy?: string
  readonly maxTries?: number
  readonly retryBaseMs?: number
  /** Whether the caller accepts a retry delay, ms. */
  readonly mayWait?: (pauseMs: number) => boolean
  readonly log?: Logger | undefined
}

export function openLanguageModel(options: LanguageModelOptions): LanguageModelV4 {
  return new RetryingModel(modelOf(options), options)
}

function modelOf({ settings, callProvider, callsTools = false }: LanguageModelOptions): LanguageModelV4 {
  const { provider, name, apiKey, baseUrl } = settings
  const base = { ...(baseUrl === undefined ? {} : { baseURL: baseUrl }), fetch: callProvider }
  const key = apiKey === undefined ? {} : { apiKey }
  if (provider === 'anthropic') return createAnthropic({ ...base, ...key })(name)
  if (provider === 'openai') {
    const openai = createOpenAI({ ...base, ...key })
    // OpenAI's reasoning models (GPT-5.4 and later) accept tools only in the Responses API, which
    // compatible servers may lack.
    return callsTools && baseUrl === undefined ? openai.responses(name) : openai.chat(name)
  }
  // These servers report token counts of streams only on request.
  return createOpenAICompatible({ ...base, ...key, name: provider, baseURL: baseUrl ?? '', includeUsage: true })(name)
}

type Part = LanguageModelV4StreamPart

const preludes: ReadonlySet<Part['type']> = new Set(['stream-start', 'response-metadata', 'custom', 'raw'])

/**
 * Retries while the provider is busy or failing, before any content, honouring `Retry-After`. The
 * final failure is an ApiError 502 `model-failed`, also within a stream.
 */
class RetryingModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly #model: LanguageModelV4
  readonly #options: LanguageModelOptions
  readonly #state: ModelState
  readonly #maskText: MaskSecrets

  constructor(model: LanguageModelV4, options: LanguageModelOptions) {
    const { provider, name } = options.settings
    this.provider = model.provider
    this.modelId = model.modelId
    this.#model = model
    this.#options = options
    this.#state = { provider, name, isScripted: false }
    this.#maskText = maskSecrets(options.settings)
  }

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return this.#model.supportedUrls
  }

  doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    return this.#retry(options.abortSignal, async () => this.#model.doGenerate(options))
  }

  doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const call = { ...options, prompt: plainNames(options.prompt) }
    return this.#retry(options.abortSignal, async () => {
      const { stream, response } = await this.#model.doStream(call)
      // The request is large and would stay in memory during the reply.
      return { stream: await this.#started(stream, response?.headers?.['content-type'], options.abortSignal) }
    })
  }

  async #retry<Result>(signal: AbortSignal | undefined, call: () => Promise<Result>): Promise<Result> {
    const { maxTries = 3, retryBaseMs = 1000, mayWait = (pauseMs: number) => pauseMs <= 20_000, log } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        signal?.throwIfAborted()
        const pauseMs = retryAfterMs(error) ?? backoffMs(attempt, retryBaseMs, 8 * retryBaseMs)
        if (!isWorthAnotherTry(error) || attempt >= maxTries || !mayWait(pauseMs)) throw this.#failure(error, false)
        log?.info(
          { provider: this.#state.provider, model: this.#state.name, attempt, pauseMs },
          'The model provider is busy or failing: retrying',
        )
        await pause(pauseMs, signal)
      }
    }
  }

  /** @throws the error received instead of content */
  async #started(
    stream: ReadableStream<Part>,
    contentType: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReadableStream<Part>> {
    const reader = stream.getReader()
    const waiting: Part[] = []
    for (;;) {
      const part = await readPart(reader)
      if (part === undefined || isBrokenOff(part)) throw noStream(contentType) ?? brokenOff()
      if (part.type === 'error') {
        await reader.cancel().catch(() => undefined)
        throw (isDisconnect(part.error) ? noStream(contentType) : undefined) ?? streamBroke(part.error)
      }
      // The SDK would log the provider's warnings.
      waiting.push(part.type === 'stream-start' ? { ...part, warnings: [] } : part)
      if (!preludes.has(part.type)) return this.#rest(reader, waiting, signal)
    }
  }

  /** A failure becomes an `error` part. */
  #rest(
    reader: ReadableStreamDefaultReader<Part>,
    waiting: Part[],
    signal: AbortSignal | undefined,
  ): ReadableStream<Part> {
    let isFinished = waiting.some(({ type }) => type === 'finish')
    const failed = (error: unknown): Part => ({ type: 'error', error: this.#failure(error, true) })
    const next = async (): Promise<Part | undefined> => {
      try {
        return await readPart(reader)
      } catch (error) {
        signal?.throwIfAborted()
        return { type: 'error', error }
      }
    }
    return new ReadableStream<Part>({
      async pull(controller) {
        const part = waiting.shift() ?? (await next())
        if (part === undefined) {
          if (!isFinished) controller.enqueue(failed(brokenOff()))
          return controller.close()
        }
        controller.enqueue(part.type === 'error' ? failed(streamBroke(part.error)) : part)
        if (part.type !== 'error' && part.type !== 'finish') return
        if (isBrokenOff(part)) controller.enqueue(failed(brokenOff()))
        isFinished = true
      },
      cancel: (reason) => reader.cancel(reason),
    })
  }

  #failure(error: unknown, hasStarted: boolean): ApiError {
    const { tooLongRemedy = '', variable = 'LLM_MODEL' } = this.#options
    const failure =
      error instanceof StreamFailure
        ? streamFailed(this.#state, error, this.#maskText, hasStarted)
        : providerFailed(this.#state, error, this.#maskText, variable)
    const { status, code, message, cause, details } = failure
    return new ApiError(status, code, `${message}${tooLong.test(message) ? tooLongRemedy : ''}`, { cause, details })
  }
}

async function readPart(reader: ReadableStreamDefaultReader<Part>): Promise<Part | undefined> {
  try {
    const { done, value } = await reader.read()
    return done ? undefined : value
  } catch (error) {
    throw streamBroke(error)
  }
}

/** Every complete reply has a finish reason. */
function isBrokenOff(part: Part): boolean {
  return (
    part.type === 'finish' &&
    (part.finishReason.unified === 'interrupted' ||
      (part.finishReason.unified === 'other' && part.finishReason.raw === undefined))
  )
}

type Prompt = LanguageModelV4CallOptions['prompt']

const plain = /^[\w-]{1,64}$/

/**
 * Models may call any name: an invalid one makes providers refuse the whole conversation, and for a
 * property of every object, such as `constructor`, the SDK sends none.
 */
function plainNames(prompt: Prompt): Prompt {
  return prompt.map((message) => {
    if (message.role === 'assistant') return { ...message, content: message.content.map(withPlainName) }
    if (message.role === 'tool') return { ...message, content: message.content.map(withPlainName) }
    return message
  })
}

function withPlainName<Part extends object>(part: Part): Part {
  if (!('toolName' in part) || typeof part.toolName !== 'string') return part
  const { toolName } = part
  return plain.test(toolName) && !(toolName in {})
    ? part
    : { ...part, toolName: `no_tool_${toolName.replaceAll(/[^\w-]/g, '_').slice(0, 50)}` }
}

const maxReasonCharacters = 300

const tooLong = /too long|too many tokens|context.?(?:length|window|size)|maximum context/i

function streamFailed(
  { provider, name }: ModelState,
  error: StreamFailure,
  maskText: MaskSecrets,
  hasStarted: boolean,
): ApiError {
  const reason = wordsOf(error, maskText)
  const text = hasStarted
    ? `stopped early: ${reason}. The reply so far is kept. Ask again.`
    : `failed: ${reason}. Ask again in a moment.`
  const cause = maskedError(error, maskText)
  return new ApiError(502, 'model-failed', `The model ${provider}/${name} ${text}`, { cause })
}

function providerFailed(
  { provider, name }: ModelState,
  error: unknown,
  maskText: MaskSecrets,
  variable: string,
): ApiError {
  const waitMs = retryAfterMs(error)
  const details = waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
  const remedy =
    details.retryAfterSeconds === undefined
      ? remedyOf(error, variable)
      : ` Try again in ${details.retryAfterSeconds} s.`
  const text = `The model ${provider}/${name} failed: ${reasonOf(error, maskText)}.${remedy}`
  return new ApiError(502, 'model-failed', text, { cause: maskedError(error, maskText), details })
}

function retryAfterMs(error: unknown): number | undefined {
  if (!APICallError.isInstance(error)) return undefined
  const text = error.responseHeaders?.['retry-after']
  if (text === undefined) return undefined
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Without the URL and body of the call. */
function reasonOf(error: unknown, maskText: MaskSecrets): string {
  const status = statusOf(error)
  if (status === undefined) return wordsOf(error, maskText)
  if (status >= 300) return `HTTP ${status}, ${wordsOf(error, maskText)}`
  const { cause } = asError(error)
  return `its reply cannot be read, ${wordsOf(cause ?? error, maskText)}`
}

function wordsOf(error: unknown, maskText: MaskSecrets): string {
  // Mask first: truncation could leave part of a key.
  return maskText(asError(error).message).trim().replace(/\.$/, '').slice(0, maxReasonCharacters)
}

function statusOf(error: unknown): number | undefined {
  return APICallError.isInstance(error) ? error.statusCode : undefined
}

function remedyOf(error: unknown, variable: string): string {
  const status = statusOf(error)
  if (status === 401 || status === 403) return ' Check LLM_API_KEY.'
  if (status === 404) return ` Check ${variable} and LLM_BASE_URL.`
  if (status !== undefined && status >= 400) return ''
  return status === undefined ? ' Check LLM_BASE_URL and the network.' : ' Check LLM_BASE_URL.'
}

class StreamFailure extends Error {
  readonly mayPass: boolean

  constructor(message: string, { mayPass, cause }: { readonly mayPass: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.mayPass = mayPass
  }
}

const passing = /overloaded|rate_limit|api_error|server_error|internal_error|unavailable|timeout/i

function streamBroke(error: unknown): Error {
  if (error instanceof StreamFailure) return error
  if (isDisconnect(error)) return brokenOff(error)
  if (APICallError.isInstance(error)) return error
  const { message, type, code } = detailsOf(error)
  return message === undefined
    ? brokenOff(error)
    : new StreamFailure(message, { mayPass: passing.test(`${type ?? ''} ${code ?? ''}`), cause: error })
}

function brokenOff(cause?: unknown): StreamFailure {
  return new StreamFailure('the connection was closed within the reply', { mayPass: true, cause })
}

/** An empty reply that is not an event stream, such as a page at a wrong URL. */
function noStream(contentType: string | undefined): Error | undefined {
  const kind = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!/^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(kind) || kind === 'text/event-stream') return undefined
  return new APICallError({
    message: `it is ${kind}, not an event stream`,
    url: '',
    requestBodyValues: {},
    statusCode: 200,
    isRetryable: false,
  })
}

/**
 * `fetch` throws a TypeError `terminated`, which the SDK may wrap; some providers report their own
 * messages.
 */
function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    (error instanceof TypeError && error.message === 'terminated') ||
    error.message.includes('ended without a finish reason') ||
    isDisconnect(error.cause)
  )
}

function isWorthAnotherTry(error: unknown): boolean {
  return APICallError.isInstance(error) ? error.isRetryable : error instanceof StreamFailure && error.mayPass
}

interface Details {
  readonly message?: string | undefined
  readonly type?: string | undefined
  readonly code?: string | undefined
}

/** The structure differs by provider; some are nested. */
function detailsOf(error: unknown): Details {
  if (typeof error === 'string') return { message: error }
  if (typeof error !== 'object' || error === null) return {}
  const { error: inner, message, type, code, data } = error as Record<string, unknown>
  if (typeof inner === 'object' && inner !== null) return detailsOf(inner)
  return { message: textOr(message), type: textOr(type) ?? detailsOf(data).type, code: textOr(code) }
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
