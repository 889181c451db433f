import {
  convertToModelMessages,
  experimental_streamTextLowMemory as streamTextLowMemory,
  isStepCount,
  ToolChoiceViolationError,
  toUIMessageChunk,
} from 'ai'
import type { ModelMessage, PrepareStepFunction, SystemModelMessage, TextStreamPart, ToolSet } from 'ai'
import { ApiError, asError } from '../../../platform/errors.ts'
import { mostSteps } from '../chat-types.ts'
import type { AnswerEnd, ChatChunk, ChatMessage, TurnOptions, TurnOutcome, TurnRequest } from '../chat-types.ts'
import { boundTools } from './bound-tools.ts'
import { OpenParts, TurnAccount, TurnStop } from './turn-state.ts'

type Part = TextStreamPart<ToolSet>

/** Calls of tools that run at the same time. */
const mostAtOnce = 8

/** Parts that are of no use to whoever reads the answer. */
const silent: ReadonlySet<Part['type']> = new Set([
  'start',
  'finish',
  'abort',
  'error',
  'custom',
  'raw',
  'ping',
  'file',
  'reasoning-file',
])

/** What the SDK calls its errors, before their words. */
const sdkName = /\bAI_\w+Error: /g

/** With these the model has begun to answer. */
const beginnings: ReadonlySet<Part['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-call',
])

/**
 * Gives one answer: what the model says and does, as the clients of the AI SDK read it, piece by piece as it comes. It always has an
 * end that people can read: the answer, words for why there is none in a text, or an `error` chunk, after which nothing comes. Parts
 * that had begun are ended, so that what was said can go with the next question. It begins at once; cancelling it ends it.
 */
export function runTurn(request: TurnRequest, options: TurnOptions): ReadableStream<ChatChunk> {
  const stop = new TurnStop(request.signal, options.timeoutMs)
  const chunks = new Turn(request, options, stop).chunks()
  return new ReadableStream<ChatChunk>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel(reason) {
      stop.leave(reason)
      // To its end, whatever still comes: its tools and its calls have theirs then.
      for await (const _chunk of chunks) continue
    },
  })
}

class Turn {
  readonly #request: TurnRequest
  readonly #options: TurnOptions
  readonly #stop: TurnStop
  readonly #account: TurnAccount
  readonly #open = new OpenParts()
  readonly #calledAt = new Map<string, number>()
  /** Calls with arguments that are none, whose failure is told with them. */
  readonly #invalid = new Set<string>()
  #finishReason: Extract<Part, { type: 'finish' }>['finishReason'] = 'other'
  #hasBegun = false
  #hasText = false
  #hasUsedTools = false
  #failure: { readonly error: unknown } | undefined

  constructor(request: TurnRequest, options: TurnOptions, stop: TurnStop) {
    this.#request = request
    this.#options = options
    this.#stop = stop
    this.#account = new TurnAccount(request)
  }

  async *chunks(): AsyncGenerator<ChatChunk, void, undefined> {
    let outcome: TurnOutcome = { end: 'failed', metadata: this.#account.origin }
    try {
      yield { type: 'start', messageMetadata: this.#account.origin }
      for (const data of this.#request.notices) yield { type: 'data-notice', data }
      const finish = yield* this.#answer()
      outcome = finish === undefined ? yield* this.#breakOff() : yield* this.#close(finish)
    } finally {
      this.#stop.end()
      this.#options.watch?.ended(outcome)
    }
  }

  /** What the model says and does. @returns how it ended; undefined: it did not, or failed */
  async *#answer(): AsyncGenerator<ChatChunk, AnswerEnd | undefined, undefined> {
    const { model, tools: given } = this.#request
    const tools = boundTools(given, this.#stop.signal)
    let end: AnswerEnd | undefined
    try {
      const messages = await modelMessages(this.#request.messages, tools)
      const { stream } = streamTextLowMemory({
        model: model.model,
        instructions: instructionsMessage(this.#request.instructions),
        messages,
        tools,
        providerOptions: model.providerOptions,
        maxOutputTokens: model.mostOutputTokens,
        maxRetries: 0,
        stopWhen: [isStepCount(mostSteps), wasCutOff],
        toolCallConcurrency: mostAtOnce,
        prepareStep: this.#prepareStep,
        abortSignal: this.#stop.signal,
        // Nothing that anybody said is looked up: what could be is refused before.
        experimental_download: (files) =>
          files.length === 0 ? Promise.resolve([]) : Promise.reject(new Error('no file is loaded')),
        // It would print them.
        onError: () => undefined,
      })
      for await (const part of stream) {
        end = this.#note(part) ?? end
        if (this.#failure !== undefined) break
        const chunk = this.#chunkOf(part, tools)
        if (chunk === undefined) continue
        this.#open.note(chunk)
        yield chunk
      }
    } catch (error) {
      this.#failure ??= { error }
    }
    return this.#failure === undefined && this.#stop.reason === undefined ? end : undefined
  }

  readonly #prepareStep: PrepareStepFunction<ToolSet> = ({ stepNumber, messages }) => {
    if (stepNumber < mostSteps - 1) return { messages: markEnd(messages) }
    // Anthropic refuses a conversation with calls of tools that it is told of none; some of the others take no notice of a choice.
    const without = this.#request.model.model.provider.startsWith('anthropic')
      ? { toolChoice: 'none' as const }
      : { activeTools: [] }
    return { messages: markEnd([...messages, closingRequest]), ...without }
  }

  /** Keeps account of a part. @returns how the answer ended, where it did */
  #note(part: Part): AnswerEnd | undefined {
    if (!this.#hasBegun && beginnings.has(part.type)) {
      this.#hasBegun = true
      this.#options.watch?.begun(this.#account.elapsedMs)
    }
    if (part.type === 'start-step') {
      this.#account.beginStep()
      this.#hasText = false
    } else if (part.type === 'text-delta') this.#hasText ||= part.text.trim() !== ''
    else if (part.type === 'tool-call') {
      this.#hasUsedTools = true
      this.#calledAt.set(part.toolCallId, performance.now())
      if (part.invalid === true) this.#invalid.add(part.toolCallId)
    } else if ((part.type === 'tool-result' && part.preliminary !== true) || part.type === 'tool-error')
      this.#noteTool(part)
    else if (part.type === 'finish-step') this.#account.spend(part.usage)
    else if (part.type === 'error' && !isCallAfterAll(part.error)) this.#failure = { error: part.error }
    else if (part.type === 'finish') return this.#endOf(part)
    return undefined
  }

  #noteTool({ type, toolCallId, toolName }: Extract<Part, { type: 'tool-result' | 'tool-error' }>): void {
    const durationMs = performance.now() - (this.#calledAt.get(toolCallId) ?? performance.now())
    this.#calledAt.delete(toolCallId)
    // A model may call what there is not.
    const tool = Object.hasOwn(this.#request.tools, toolName) ? toolName : 'unknown'
    this.#options.watch?.toolEnded({ tool, isError: type === 'tool-error', durationMs })
  }

  #endOf({ finishReason }: Extract<Part, { type: 'finish' }>): AnswerEnd {
    this.#finishReason = finishReason
    if (finishReason === 'content-filter') return 'refused'
    if (finishReason === 'length') return 'length'
    return this.#account.steps >= mostSteps ? 'steps' : 'complete'
  }

  #chunkOf(part: Part, tools: ToolSet): ChatChunk | undefined {
    if (silent.has(part.type) || (part.type === 'tool-error' && this.#invalid.delete(part.toolCallId))) return undefined
    if (part.type.startsWith('reasoning') && !this.#request.model.tellsReasoning) return undefined
    // Tools fail with words that are for the model, and were meant to be read.
    const chunk = toUIMessageChunk(part, {
      tools,
      sendSources: true,
      redactToolErrors: false,
      onError: (error) => asError(error).message,
    }) as ChatChunk | undefined
    if (chunk === undefined || !('providerMetadata' in chunk || chunk.type === 'tool-input-error')) return chunk
    // Signatures and the like, which only the provider can read, and which are not taken back.
    const { providerMetadata: _unread, ...plain } = chunk
    if (plain.type === 'tool-input-error') return { ...plain, errorText: plain.errorText.replaceAll(sdkName, '') }
    return 'delta' in plain && plain.delta === '' ? undefined : plain
  }

  async *#close(end: AnswerEnd): AsyncGenerator<ChatChunk, TurnOutcome, undefined> {
    const words = closingWords({ end, hasText: this.#hasText, hasUsedTools: this.#hasUsedTools })
    yield* this.#open.closeCalls('The tool was not called: the answer had reached its end.')
    if (words !== undefined) {
      const id = 'closing-words'
      yield { type: 'text-start', id }
      yield { type: 'text-delta', id, delta: words }
      yield { type: 'text-end', id }
    }
    const metadata = this.#account.metadata(end)
    yield { type: 'finish', finishReason: this.#finishReason, messageMetadata: metadata }
    return { end, metadata }
  }

  async *#breakOff(): AsyncGenerator<ChatChunk, TurnOutcome, undefined> {
    const stopped = this.#stop.reason
    const metadata = this.#account.metadata(undefined)
    yield* this.#open.close('The answer broke off before the tool had a result.')
    yield { type: 'message-metadata', messageMetadata: metadata }
    if (stopped === 'left') yield { type: 'abort' }
    else yield { type: 'error', errorText: stopped === undefined ? this.#words() : (this.#stop.told ?? this.#words()) }
    return { end: stopped ?? 'failed', metadata }
  }

  #words(): string {
    const error = this.#failure?.error
    if (error instanceof ApiError) {
      this.#options.log.warn({ code: error.code, reason: error.message }, 'an answer failed')
      return error.message
    }
    this.#options.log.error({ err: asError(error ?? 'the model ended without an end') }, 'an answer failed')
    return 'The answer could not be given because of a fault in the chat itself; its log tells which. Ask again.'
  }
}

/** On the last step a model called a tool although there is none: the answer ends without its words. */
function isCallAfterAll(error: unknown): boolean {
  return ToolChoiceViolationError.isInstance(error)
}

/** Who is told that the arguments of a call were cut off writes the same again, and as long. */
function wasCutOff({ steps }: { readonly steps: readonly { readonly finishReason: string }[] }): boolean {
  return steps.at(-1)?.finishReason === 'length'
}

/** How the model ended. */
interface ModelEnd {
  readonly end: AnswerEnd
  /** The last step has a text. */
  readonly hasText: boolean
  /** There were calls of tools. */
  readonly hasUsedTools: boolean
}

/** What an answer lacks to have an end that people can read; undefined where it lacks nothing. */
function closingWords({ end, hasText, hasUsedTools }: ModelEnd): string | undefined {
  if (end === 'refused')
    return 'The provider of the model declined to answer this. Ask in other words, or for something else.'
  if (end === 'length') {
    return hasText
      ? undefined
      : 'The model reached the most that it may say at once before it came to an answer. Ask for less at once.'
  }
  if (hasText) return undefined
  if (end === 'steps')
    return 'All steps of this answer were used before the model came to one. What its tools found is above; ask again for a part of it.'
  return hasUsedTools
    ? 'The model ended here without words of its own. What its tools found is above.'
    : 'The model gave no answer. Ask again, or in other words.'
}

/** Anthropic keeps what comes before such a mark, so that it need not read it anew with each step and question. Others take no notice. */
const kept = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** The instructions, which are long and the same for all. */
export function instructionsMessage(instructions: string): SystemModelMessage {
  return { role: 'system', content: instructions, providerOptions: kept }
}

/** What was said so far as models take it. What only the page shows is left out. */
export async function modelMessages(messages: readonly ChatMessage[], tools: ToolSet): Promise<ModelMessage[]> {
  const converted = await convertToModelMessages([...messages], { tools, ignoreIncompleteToolCalls: true })
  // An answer of which nothing goes back leaves an empty message, which providers refuse.
  return converted.filter(({ content }) => content.length > 0)
}

/** Marks the end of the conversation as kept, and nothing before: providers take four marks at most. */
export function markEnd(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.length - 1
  return messages.map((message, index) => {
    if (index === last) return { ...message, providerOptions: { ...message.providerOptions, ...kept } }
    if (message.providerOptions?.['anthropic'] === undefined) return message
    const { anthropic, ...others } = message.providerOptions
    const { cacheControl, ...rest } = anthropic
    return cacheControl === undefined ? message : { ...message, providerOptions: { ...others, anthropic: rest } }
  })
}

/** What the model is told on its last step. */
export const closingRequest: ModelMessage = {
  role: 'user',
  content: `[Note of the chat service, not of the user: you have used all of your ${mostSteps} steps, so there are no more tools. Answer the question now with what you have found. Say what you could not find out.]`,
}
