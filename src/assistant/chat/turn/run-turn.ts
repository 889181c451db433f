import {
  convertToModelMessages,
  experimental_streamTextLowMemory as streamTextLowMemory,
  isStepCount,
  ToolChoiceViolationError,
  toUIMessageChunk,
} from 'ai'
import type { ModelMessage, PrepareStepFunction, SystemModelMessage, TextStreamPart, ToolSet } from 'ai'
import { ApiError, asError } from '../../../platform/errors.ts'
import { maxSteps } from '../chat-types.ts'
import type { AnswerEnd, ChatChunk, ChatMessage, TurnOptions, TurnOutcome, TurnRequest } from '../chat-types.ts'
import { boundTools } from './bound-tools.ts'
import { OpenParts, TurnAccount, TurnStop } from './turn-state.ts'

type Part = TextStreamPart<ToolSet>

const maxConcurrent = 8

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

const sdkName = /\bAI_\w+Error: /g

const beginnings: ReadonlySet<Part['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-call',
])

/**
 * Always ends with the answer, a text that explains its absence, or an `error` chunk. Open parts
 * are closed. Cancelling the stream ends the turn.
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
      // Drained, so that its tools and calls end too.
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
  readonly #invalid = new Set<string>()
  #finishReason: Extract<Part, { type: 'finish' }>['finishReason'] = 'other'
  #hasStarted = false
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
      outcome = finish === undefined ? yield* this.#abort() : yield* this.#close(finish)
    } finally {
      this.#stop.end()
      this.#options.watch?.ended(outcome)
    }
  }

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
        maxOutputTokens: model.maxOutputTokens,
        maxRetries: 0,
        stopWhen: [isStepCount(maxSteps), wasCutOff],
        toolCallConcurrency: maxConcurrent,
        prepareStep: this.#prepareStep,
        abortSignal: this.#stop.signal,
        experimental_download: (files) =>
          files.length === 0 ? Promise.resolve([]) : Promise.reject(new Error('no file is loaded')),
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
    if (stepNumber < maxSteps - 1) return { messages: markEnd(messages) }
    // Anthropic refuses a conversation with tool calls but no tools; other providers may ignore
    // `toolChoice`.
    const without = this.#request.model.model.provider.startsWith('anthropic')
      ? { toolChoice: 'none' as const }
      : { activeTools: [] }
    return { messages: markEnd([...messages, closingRequest]), ...without }
  }

  #note(part: Part): AnswerEnd | undefined {
    if (!this.#hasStarted && beginnings.has(part.type)) {
      this.#hasStarted = true
      this.#options.watch?.started(this.#account.elapsedMs)
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
    // A model may call a tool that does not exist.
    const tool = Object.hasOwn(this.#request.tools, toolName) ? toolName : 'unknown'
    this.#options.watch?.toolEnded({ tool, isError: type === 'tool-error', durationMs })
  }

  #endOf({ finishReason }: Extract<Part, { type: 'finish' }>): AnswerEnd {
    this.#finishReason = finishReason
    if (finishReason === 'content-filter') return 'refused'
    if (finishReason === 'length') return 'length'
    return this.#account.steps >= maxSteps ? 'steps' : 'complete'
  }

  #chunkOf(part: Part, tools: ToolSet): ChatChunk | undefined {
    if (silent.has(part.type) || (part.type === 'tool-error' && this.#invalid.delete(part.toolCallId))) return undefined
    if (part.type.startsWith('reasoning') && !this.#request.model.streamsReasoning) return undefined
    const chunk = toUIMessageChunk(part, {
      tools,
      sendSources: true,
      redactToolErrors: false,
      onError: (error) => asError(error).message,
    }) as ChatChunk | undefined
    if (chunk === undefined || !('providerMetadata' in chunk || chunk.type === 'tool-input-error')) return chunk
    const { providerMetadata: _unread, ...plain } = chunk
    if (plain.type === 'tool-input-error') return { ...plain, errorText: plain.errorText.replaceAll(sdkName, '') }
    return 'delta' in plain && plain.delta === '' ? undefined : plain
  }

  async *#close(end: AnswerEnd): AsyncGenerator<ChatChunk, TurnOutcome, undefined> {
    const words = closingWords({ end, hasText: this.#hasText, hasUsedTools: this.#hasUsedTools })
    yield* this.#open.closeCalls('The tool was not called: the answer had ended.')
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

  async *#abort(): AsyncGenerator<ChatChunk, TurnOutcome, undefined> {
    const stopped = this.#stop.reason
    const metadata = this.#account.metadata(undefined)
    yield* this.#open.close('The answer was aborted before the tool returned a result.')
    yield { type: 'message-metadata', messageMetadata: metadata }
    if (stopped === 'disconnected') yield { type: 'abort' }
    else
      yield {
        type: 'error',
        errorText: stopped === undefined ? this.#failureText() : (this.#stop.message ?? this.#failureText()),
      }
    return { end: stopped ?? 'failed', metadata }
  }

  #failureText(): string {
    const error = this.#failure?.error
    if (error instanceof ApiError) {
      this.#options.log.warn({ code: error.code, reason: error.message }, 'Answer failed')
      return error.message
    }
    this.#options.log.error({ err: asError(error ?? 'the model stream ended without a finish part') }, 'Answer failed')
    return 'The answer failed because of an internal error. Ask again.'
  }
}

function isCallAfterAll(error: unknown): boolean {
  return ToolChoiceViolationError.isInstance(error)
}

/** A model whose arguments were cut off would write the same again. */
function wasCutOff({ steps }: { readonly steps: readonly { readonly finishReason: string }[] }): boolean {
  return steps.at(-1)?.finishReason === 'length'
}

interface ModelEnd {
  readonly end: AnswerEnd
  readonly hasText: boolean
  readonly hasUsedTools: boolean
}

function closingWords({ end, hasText, hasUsedTools }: ModelEnd): string | undefined {
  if (end === 'refused') return 'The model provider declined to answer. Rephrase the question, or ask something else.'
  if (end === 'length') {
    return hasText ? undefined : 'The model reached its output limit before it answered. Ask a smaller question.'
  }
  if (hasText) return undefined
  if (end === 'steps')
    return (
      'The model used all steps before it answered. Its tool results are above; ask again about a part of ' +
      'the question.'
    )
  return hasUsedTools
    ? 'The model ended without an answer. Its tool results are above.'
    : 'The model gave no answer. Ask again or rephrase the question.'
}

/** Anthropic caches the prompt up to this mark; others ignore it. */
const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

export function instructionsMessage(instructions: string): SystemModelMessage {
  return { role: 'system', content: instructions, providerOptions: cacheMark }
}

export async function modelMessages(messages: readonly ChatMessage[], tools: ToolSet): Promise<ModelMessage[]> {
  const converted = await convertToModelMessages([...messages], { tools, ignoreIncompleteToolCalls: true })
  // Providers refuse empty messages, which an answer without usable parts leaves.
  return converted.filter(({ content }) => content.length > 0)
}

/** Providers accept at most four marks. */
export function markEnd(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.length - 1
  return messages.map((message, index) => {
    if (index === last) return { ...message, providerOptions: { ...message.providerOptions, ...cacheMark } }
    if (message.providerOptions?.['anthropic'] === undefined) return message
    const { anthropic, ...others } = message.providerOptions
    const { cacheControl, ...rest } = anthropic
    return cacheControl === undefined ? message : { ...message, providerOptions: { ...others, anthropic: rest } }
  })
}

export const closingRequest: ModelMessage = {
  role: 'user',
  content:
    `[Note from the chat service, not from the user: all ${maxSteps} steps are used, so no more tools are ` +
    'available. Answer the question now with what you have found. Say what you could not find out.]',
}
