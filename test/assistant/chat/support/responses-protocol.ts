import { z } from 'zod'
import type { SentMessage } from './provider-turn.ts'
import { argumentsOf, BadRequest, splitInTwo, parsedOr, toolCallId } from './provider-writer.ts'
import type { ReplyWriter, StreamingProtocol, WrittenPiece } from './provider-writer.ts'

const assistantText = z
  .union([z.string().min(1), z.array(z.object({ type: z.literal('output_text'), text: z.string().min(1) })).min(1)])
  .transform((given) => (typeof given === 'string' ? given : given.map(({ text }) => text).join('')))

const item = z.union([
  z.object({ role: z.enum(['system', 'developer']), content: z.string() }),
  z.object({
    role: z.literal('user'),
    content: z.array(z.object({ type: z.literal('input_text'), text: z.string().min(1) })).min(1),
  }),
  z.object({ role: z.literal('assistant'), id: z.string().optional(), content: assistantText }),
  z.object({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string().regex(/^[\w-]{1,64}$/),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('web_search_call'),
    id: z.string(),
    status: z.literal('completed'),
    action: z.looseObject({ type: z.literal('search') }),
  }),
  z.object({ type: z.literal('function_call_output'), call_id: z.string(), output: z.string() }),
  // Unstored responses must be sent back completely.
  z.object({
    type: z.literal('reasoning'),
    id: z.string().optional(),
    encrypted_content: z.string(),
    summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
  }),
])
type Item = z.infer<typeof item>

const body = z.object({
  model: z.string(),
  max_output_tokens: z.int().positive().optional(),
  stream: z.literal(true),
  store: z.literal(false),
  input: z.array(item).min(1),
  tools: z
    .array(
      z.union([
        z.object({
          type: z.literal('function'),
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().default(''),
          parameters: z.looseObject({ type: z.literal('object') }),
        }),
        z.object({ type: z.literal('web_search') }),
      ]),
    )
    .default([]),
})

/** Source: OpenAI Responses API. */
export const responsesProtocol: StreamingProtocol = {
  name: 'responses',
  read: (given) => {
    const parsed = body.safeParse(given)
    if (!parsed.success) throw new BadRequest(z.prettifyError(parsed.error))
    const { model, input, tools, max_output_tokens: maxTokens } = parsed.data
    refuseUnansweredCalls(input)
    return {
      model,
      maxTokens,
      instructions: input
        .flatMap((one) => ('role' in one && (one.role === 'system' || one.role === 'developer') ? [one.content] : []))
        .join('\n'),
      messages: sentMessages(input),
      tools: tools.map((tool) =>
        tool.type === 'function'
          ? { name: tool.name, description: tool.description, schema: tool.parameters, type: undefined }
          : { name: tool.type, description: '', schema: undefined, type: tool.type },
      ),
    }
  },
  refuse: (headers) =>
    headers.authorization === undefined ? { status: 401, message: "You didn't provide an API key." } : undefined,
  error: ({ status, message }) => ({
    error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'server_error', param: null, code: null },
  }),
  writer: ({ model, index }) => new ResponsesWriter(model, index),
}

function refuseUnansweredCalls(input: readonly Item[]): void {
  const ids = (kind: 'function_call' | 'function_call_output'): string[] =>
    input.flatMap((one) => ('type' in one && one.type === kind ? [one.call_id] : []))
  const called = ids('function_call')
  const answered = ids('function_call_output')
  const open = called.find((id) => !answered.includes(id))
  if (open !== undefined) throw new BadRequest(`No tool output found for function call ${open}.`)
  const strange = answered.find((id) => !called.includes(id))
  if (strange !== undefined)
    throw new BadRequest(`No tool call found for function call output with call_id ${strange}.`)
}

/** The items of one step are one message here. */
function sentMessages(input: readonly Item[]): readonly SentMessage[] {
  const messages: SentMessage[] = []
  const ofAssistant = (): SentMessage => {
    const last = messages.at(-1)
    if (last?.role === 'assistant') return messages.pop() ?? last
    return { role: 'assistant', text: '', reasoning: '', toolCalls: [], toolResults: [] }
  }
  for (const one of input) {
    if ('role' in one) {
      if (one.role === 'user')
        messages.push({
          role: 'user',
          text: one.content.map(({ text }) => text).join(''),
          reasoning: '',
          toolCalls: [],
          toolResults: [],
        })
      else if (one.role === 'assistant') {
        const printed = ofAssistant()
        messages.push({ ...printed, text: printed.text + one.content })
      }
    } else if (one.type === 'function_call_output') {
      messages.push({
        role: 'tool',
        text: '',
        reasoning: '',
        toolCalls: [],
        toolResults: [{ id: one.call_id, text: one.output, isError: false }],
      })
    } else if (one.type === 'web_search_call') {
      continue
    } else if (one.type === 'reasoning') {
      const printed = ofAssistant()
      messages.push({ ...printed, reasoning: printed.reasoning + one.summary.map(({ text }) => text).join('') })
    } else {
      const printed = ofAssistant()
      messages.push({
        ...printed,
        toolCalls: [...printed.toolCalls, { id: one.call_id, name: one.name, input: parsedOr(one.arguments) }],
      })
    }
  }
  return messages
}

/** Items have start and end events. */
class ResponsesWriter implements ReplyWriter {
  readonly #model: string
  readonly #index: number
  #item = -1
  #sequence = 0
  #open: 'message' | 'reasoning' | undefined
  #incomplete: string | undefined
  #usage: { readonly input: number; readonly output: number; readonly reasoning?: number } = { input: 10, output: 5 }

  constructor(model: string, index: number) {
    this.#model = model
    this.#index = index
  }

  begin(): string {
    return this.#event('response.created', {
      response: { id: `resp_${this.#index}`, created_at: 0, model: this.#model },
    })
  }

  piece(piece: WrittenPiece): string {
    if (typeof piece === 'string')
      return (
        this.#inItem('message') +
        this.#event('response.output_text.delta', {
          item_id: this.#id,
          output_index: this.#item,
          content_index: 0,
          delta: piece,
        })
      )
    if ('reasoning' in piece)
      return (
        this.#inItem('reasoning') +
        this.#event('response.reasoning_summary_text.delta', {
          item_id: this.#id,
          output_index: this.#item,
          summary_index: 0,
          delta: piece.reasoning,
        })
      )
    if ('tool' in piece) return this.#call(piece)
    if ('search' in piece) return this.#search(piece)
    if ('usage' in piece) this.#usage = piece.usage
    if ('end' in piece)
      this.#incomplete = { stop: undefined, tools: undefined, length: 'max_output_tokens', refusal: 'content_filter' }[
        piece.end
      ]
    return 'failure' in piece ? this.#event('error', { code: 'server_error', message: piece.failure, param: null }) : ''
  }

  end(): string {
    const { input, output, reasoning = 0 } = this.#usage
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    }
    const details = this.#incomplete === undefined ? null : { reason: this.#incomplete }
    return (
      this.#close() +
      this.#event(details === null ? 'response.completed' : 'response.incomplete', {
        response: { incomplete_details: details, usage },
      })
    )
  }

  get #id(): string {
    return `item_${this.#index}_${this.#item}`
  }

  #call(piece: Extract<WrittenPiece, { readonly tool: string }>): string {
    const closed = this.#close()
    this.#item++
    const written = argumentsOf(piece)
    const call = {
      type: 'function_call',
      id: this.#id,
      call_id: toolCallId('call', this.#index, this.#item, piece.id),
      name: piece.tool,
    }
    const parts = splitInTwo(written).map((delta) =>
      this.#event('response.function_call_arguments.delta', { item_id: this.#id, output_index: this.#item, delta }),
    )
    return (
      closed +
      this.#added({ ...call, arguments: '' }) +
      parts.join('') +
      this.#done({ ...call, arguments: written, status: 'completed' })
    )
  }

  #search({ search, found }: Extract<WrittenPiece, { readonly search: string }>): string {
    const closed = this.#close()
    this.#item++
    const call = { type: 'web_search_call', id: this.#id }
    const sources = found.map(({ url }) => ({ type: 'url', url }))
    return (
      closed +
      this.#added({ ...call, status: 'in_progress' }) +
      this.#done({ ...call, status: 'completed', action: { type: 'search', query: search, sources } })
    )
  }

  #inItem(type: 'message' | 'reasoning'): string {
    if (this.#open === type) return ''
    const closed = this.#close()
    this.#open = type
    this.#item++
    const summary =
      type === 'reasoning'
        ? this.#event('response.reasoning_summary_part.added', {
            item_id: this.#id,
            output_index: this.#item,
            summary_index: 0,
          })
        : ''
    return closed + this.#added({ type, id: this.#id }) + summary
  }

  #close(): string {
    const type = this.#open
    this.#open = undefined
    if (type === undefined) return ''
    return this.#done({
      type,
      id: this.#id,
      ...(type === 'reasoning' ? { encrypted_content: `sealed-${this.#id}` } : {}),
    })
  }

  #added(added: object): string {
    return this.#event('response.output_item.added', { output_index: this.#item, item: added })
  }

  #done(done: object): string {
    return this.#event('response.output_item.done', { output_index: this.#item, item: done })
  }

  #event(type: string, data: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...data })}\n\n`
  }
}
