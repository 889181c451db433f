import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { ApiError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { backoffMs, pause } from '../retry.ts'
import { maskedError } from './mask-secrets.ts'
import type { MaskSecrets } from './mask-secrets.ts'
import {
  brokenOff,
  isDisconnect,
  isWorthAnotherTry,
  noStream,
  providerFailed,
  retryAfterMs,
  streamBroke,
  StreamFailure,
} from './provider-failure.ts'
import type { ModelState } from './settings.ts'

interface PatientModelOptions extends ToldFailureOptions {
  readonly model: LanguageModelV4
  /** Tries for one reply. Default 3. */
  readonly mostTries?: number
  /** Upper bound of the first pause between two tries where the provider names none, in milliseconds. Default 1,000. */
  readonly retryBaseMs?: number
  /** The longest pause that a provider is given, in milliseconds: somebody waits for the answer. Default 20,000. */
  readonly mostPauseMs?: number
  readonly log?: Logger | undefined
}

type Part = LanguageModelV4StreamPart

/** Parts that come before a model has said anything. */
const preludes: ReadonlySet<Part['type']> = new Set(['stream-start', 'response-metadata', 'custom', 'raw'])

/**
 * A model that is asked again while its provider is busy (429) or broken (5xx, no connection), after the pause that it names, as long
 * as it has said nothing. What fails for good is an ApiError with words for whoever asked, also in the middle of a stream.
 */
export class PatientModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly #options: PatientModelOptions &
    Required<Pick<PatientModelOptions, 'mostTries' | 'retryBaseMs' | 'mostPauseMs'>>

  constructor({ mostTries = 3, retryBaseMs = 1000, mostPauseMs = 20_000, ...options }: PatientModelOptions) {
    this.#options = { ...options, mostTries, retryBaseMs, mostPauseMs }
  }

  get provider(): string {
    return this.#options.model.provider
  }

  get modelId(): string {
    return this.#options.model.modelId
  }

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return this.#options.model.supportedUrls
  }

  doGenerate(options: LanguageModelV4CallOptions): PromiseLike<LanguageModelV4GenerateResult> {
    return this.#options.model.doGenerate(options)
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { state, mostTries, retryBaseMs, mostPauseMs, log } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        const { stream, response } = await this.#options.model.doStream({
          ...options,
          prompt: plainNames(options.prompt),
        })
        // Without what was sent, which is long and would be kept as long as the answer takes.
        return { stream: await this.#begun(stream, response?.headers?.['content-type'], options.abortSignal) }
      } catch (error) {
        options.abortSignal?.throwIfAborted()
        const pauseMs = retryAfterMs(error) ?? backoffMs(attempt, retryBaseMs, 8 * retryBaseMs)
        if (!isWorthAnotherTry(error) || attempt >= mostTries || pauseMs > mostPauseMs)
          throw toldFailure(error, { ...this.#options, hasBegun: false })
        log?.info(
          { provider: state.provider, model: state.name, attempt, pauseMs },
          'the provider of the model is busy or broken; it is asked again',
        )
        await pause(pauseMs, options.abortSignal)
      }
    }
  }

  /** Waits for the first thing that the model says. @throws what came in its place */
  async #begun(
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
      // What a provider remarks on our settings is no news to whoever chose them, and the SDK would print it with each answer.
      waiting.push(part.type === 'stream-start' ? { ...part, warnings: [] } : part)
      if (!preludes.has(part.type)) return this.#rest(reader, waiting, signal)
    }
  }

  /** What was read already, and then the stream itself; where that fails, it ends with an error that can be told. */
  #rest(
    reader: ReadableStreamDefaultReader<Part>,
    waiting: Part[],
    signal: AbortSignal | undefined,
  ): ReadableStream<Part> {
    let isFinished = waiting.some(({ type }) => type === 'finish')
    const failed = (error: unknown): Part => ({
      type: 'error',
      error: toldFailure(error, { ...this.#options, hasBegun: true }),
    })
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
        // Its tokens were spent all the same, so that the end comes too.
        if (isBrokenOff(part)) controller.enqueue(failed(brokenOff()))
        isFinished = true
      },
      cancel: (reason) => reader.cancel(reason),
    })
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

/** Every reply says why it ends; one that does not was cut off on its way. */
function isBrokenOff(part: Part): boolean {
  return (
    part.type === 'finish' &&
    (part.finishReason.unified === 'interrupted' ||
      (part.finishReason.unified === 'other' && part.finishReason.raw === undefined))
  )
}

type Prompt = LanguageModelV4CallOptions['prompt']

/** What providers take for the name of a tool. */
const plain = /^[\w-]{1,64}$/

/**
 * A conversation in which each call has a name that its provider takes. A model may call anything: what is no name, which providers refuse with the
 * whole conversation, and what every object has a property of, such as `constructor`, in whose place the SDK sends none.
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

interface ToldFailureOptions {
  readonly state: ModelState
  /** The variable that names the model, for whoever has to mend it. */
  readonly variable: string
  /** `maskSecrets` of the model. */
  readonly maskText: MaskSecrets
}

/** Longest words of a provider that are passed on. */
const mostReasonCharacters = 300

/** How providers say that a conversation is longer than what the model can read. */
const tooLong = /too long|too many tokens|context.?(?:length|window|size)|maximum context/i

/** A call of a provider that failed for good, in words for whoever asked. They hold no key. */
function toldFailure(
  error: unknown,
  { state, variable, maskText, hasBegun }: ToldFailureOptions & { readonly hasBegun: boolean },
): ApiError {
  const told =
    error instanceof StreamFailure
      ? brokeOff(state, error, maskText, hasBegun)
      : providerFailed(state, error, maskText, variable)
  const remedy = tooLong.test(told.message) ? ' Begin a new chat, or ask for less at once.' : ''
  return new ApiError(told.status, told.code, `${told.message}${remedy}`, { cause: told.cause, details: told.details })
}

function brokeOff(
  { provider, name }: ModelState,
  error: StreamFailure,
  maskText: MaskSecrets,
  hasBegun: boolean,
): ApiError {
  const reason = maskText(error.message).trim().replace(/\.$/, '').slice(0, mostReasonCharacters)
  const text = hasBegun
    ? `broke off: ${reason}. What it said so far is kept; ask again.`
    : `failed: ${reason}. Ask again in a moment.`
  const cause = maskedError(error, maskText)
  return new ApiError(502, 'model-failed', `The model ${provider}/${name} ${text}`, { cause })
}
