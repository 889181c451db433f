import { z } from 'zod'
import type { SentMessage } from './provider-turn.ts'
import { argumentsOf, BadRequest, splitInTwo, parsedOr, toolCallId } from './provider-writer.ts'
import type { ReplyWriter, StreamingProtocol, WrittenPiece } from './provider-writer.ts'

const content = z
  .union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))])
  .transform((given) => (typeof given === 'string' ? given : given.map(({ text }) => text).join('')))

const toolCall = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
})

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content }),
  z.object({ role: z.literal('developer'), content }),
  z.object({ role: z.literal('user'), content }),
  z.object({
    role: z.literal('assistant'),
    content: content.nullish(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.object({ role: z.literal('tool'), content, tool_call_id: z.string() }),
])
type Message = z.infer<typeof message>

const body = z.looseObject({
  model: z.string(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  stream: z.literal(true),
  stream_options: z.object({ include_usage: z.boolean() }).optional(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().default(''),
          parameters: z.looseObject({ type: z.literal('object') }),
        }),
      }),
    )
    .default([]),
})

/** Source: OpenAI Chat Completions API. Self-hosted servers often need no key. */
export const completionsProtocol: StreamingProtocol = {
  name: 'completions',
  read: (given) => {
    const parsed = body.safeParse(given)
    if (!parsed.success) throw new BadRequest(z.prettifyError(parsed.error))
    const { model, messages, tools, max_tokens: maxTokens, max_completion_tokens: maxCompletionTokens } = parsed.data
    refuseUnansweredCalls(messages)
    return {
      model,
      maxTokens: maxTokens ?? maxCompletionTokens,
      instructions: messages
        .flatMap((one) => (one.role === 'system' || one.role === 'developer' ? [one.content] : []))
        .join('\n'),
      messages: messages.flatMap(sentMessage),
      tools: tools.map((tool) => ({
        name: tool.function.name,
        description: tool.function.description,
        schema: tool.function.parameters,
        type: undefined,
      })),
    }
  },
  refuse: () => undefined,
  error: ({ status, message: text }) => ({
    error: { message: text, type: status === 429 ? 'rate_limit_exceeded' : 'api_error', param: null, code: null },
  }),
  writer: ({ model, index, body: { stream_options: options } }) =>
    new CompletionsWriter(model, index, options !== undefined),
}

function refuseUnansweredCalls(messages: readonly Message[]): void {
  let open = new Set<string>()
  for (const [index, one] of messages.entries()) {
    if (one.role === 'tool') {
      if (!open.delete(one.tool_call_id))
        throw new BadRequest(
          `messages.[${index}]: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
        )
      continue
    }
    if (open.size > 0) break
    if (one.role === 'assistant') open = new Set(one.tool_calls?.map(({ id }) => id))
  }
  if (open.size > 0)
    throw new BadRequest(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    )
}

function sentMessage(one: Message): SentMessage[] {
  const nothing = { reasoning: '', toolCalls: [], toolResults: [] }
  if (one.role === 'user') return [{ ...nothing, role: 'user', text: one.content }]
  if (one.role === 'tool')
    return [
      {
        ...nothing,
        role: 'tool',
        text: '',
        toolResults: [{ id: one.tool_call_id, text: one.content, isError: false }],
      },
    ]
  if (one.role !== 'assistant') return []
  const toolCalls = (one.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
    id,
    name,
    input: parsedOr(text),
  }))
  return [{ ...nothing, role: 'assistant', text: one.content ?? '', reasoning: one.reasoning_content ?? '', toolCalls }]
}

class CompletionsWriter implements ReplyWriter {
  readonly #model: string
  readonly #index: number
  readonly #tellsUsage: boolean
  #calls = 0
  #reason = 'stop'
  #usage: { readonly input: number; readonly output: number; readonly reasoning?: number } = { input: 10, output: 5 }

  constructor(model: string, index: number, tellsUsage: boolean) {
    this.#model = model
    this.#index = index
    this.#tellsUsage = tellsUsage
  }

  begin(): string {
    return this.#delta({ role: 'assistant', content: '' })
  }

  piece(piece: WrittenPiece): string {
    if (typeof piece === 'string') return this.#delta({ content: piece })
    if ('reasoning' in piece) return this.#delta({ reasoning_content: piece.reasoning })
    if ('tool' in piece) return this.#call(piece)
    if ('usage' in piece) this.#usage = piece.usage
    if ('end' in piece)
      this.#reason = { stop: 'stop', length: 'length', tools: 'tool_calls', refusal: 'content_filter' }[piece.end]
    return 'failure' in piece ? data({ error: { message: piece.failure, type: 'server_error', code: null } }) : ''
  }

  end(): string {
    const { input, output, reasoning = 0 } = this.#usage
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      completion_tokens_details: { reasoning_tokens: reasoning },
    }
    const reported = this.#tellsUsage ? this.#chunk({ choices: [], usage }) : ''
    return `${this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: this.#reason }] })}${reported}data: [DONE]\n\n`
  }

  #call(piece: Extract<WrittenPiece, { readonly tool: string }>): string {
    this.#reason = 'tool_calls'
    const index = this.#calls++
    const begin = {
      index,
      id: toolCallId('call', this.#index, index, piece.id),
      type: 'function',
      function: { name: piece.tool, arguments: '' },
    }
    const parts = splitInTwo(argumentsOf(piece)).map((part) => ({ index, function: { arguments: part } }))
    return [begin, ...parts].map((one) => this.#delta({ tool_calls: [one] })).join('')
  }

  #delta(delta: object): string {
    return this.#chunk({ choices: [{ index: 0, delta, finish_reason: null }] })
  }

  #chunk(chunk: object): string {
    return data({
      id: `chatcmpl-${this.#index}`,
      object: 'chat.completion.chunk',
      created: 0,
      model: this.#model,
      ...chunk,
    })
  }
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
