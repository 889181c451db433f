import { z } from 'zod'
import type { SentMessage } from './provider-turn.ts'
import { argumentsOf, BadRequest, splitInTwo, toolCallId } from './provider-writer.ts'
import type { ReplyWriter, StreamingProtocol, WrittenPiece } from './provider-writer.ts'

const textBlock = z.object({
  type: z.literal('text'),
  text: z.string().min(1, 'text content blocks must be non-empty'),
})
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string().regex(/^[\w-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
})
const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().default(false),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).default(''),
})
const thinking = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().min(1, 'thinking blocks need their signature'),
})
const redacted = z.object({ type: z.literal('redacted_thinking'), data: z.string() })
const serverToolUse = z.object({
  type: z.literal('server_tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
})
const searchResult = z.object({
  type: z.literal('web_search_tool_result'),
  tool_use_id: z.string(),
  content: z.unknown(),
})
const block = z.discriminatedUnion('type', [
  textBlock,
  toolUse,
  toolResult,
  thinking,
  redacted,
  serverToolUse,
  searchResult,
])
type Block = z.infer<typeof block>

const blocks = z.union([
  z
    .string()
    .min(1)
    .transform((text): Block[] => [{ type: 'text', text }]),
  z.array(block).min(1),
])

const body = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  stream: z.literal(true),
  temperature: z.number().optional(),
  system: z.union([z.string(), z.array(textBlock)]).default(''),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: blocks })).min(1),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().default(''),
        type: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }).optional(),
      }),
    )
    .default([]),
  thinking: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
      z.looseObject({ type: z.literal('adaptive') }),
      z.object({ type: z.literal('disabled') }),
    ])
    .optional(),
})
type Body = z.infer<typeof body>

/** Models with adaptive reasoning, which reject a token budget. */
const withoutBudget = /^claude-(?:opus|sonnet)-(?:4-[7-9]|[5-9])/

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** Source: Anthropic Messages API, version 2023-06-01. */
export const messagesProtocol: StreamingProtocol = {
  name: 'messages',
  read: (given) => {
    const parsed = body.safeParse(given)
    if (!parsed.success) throw new BadRequest(z.prettifyError(parsed.error))
    const { model, max_tokens: maxTokens, system, messages, tools } = parsed.data
    refuseThinking(parsed.data)
    refuseUnansweredCalls(messages)
    return {
      model,
      maxTokens,
      instructions: typeof system === 'string' ? system : system.map(({ text }) => text).join('\n'),
      messages: messages.flatMap(sentMessages),
      tools: tools.map(({ name, description, type, input_schema: schema }) => ({ name, description, schema, type })),
    }
  },
  refuse: (headers) => {
    if (headers['anthropic-version'] === undefined)
      return { status: 400, message: 'anthropic-version: header is required' }
    return headers['x-api-key'] === undefined ? { status: 401, message: 'x-api-key header is required' } : undefined
  },
  error: ({ status, message }) => ({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message } }),
  writer: ({ model, index }) => new MessagesWriter(model, index),
}

function refuseThinking({ thinking: requested, max_tokens: maxTokens, temperature, model, messages }: Body): void {
  if (requested === undefined || requested.type === 'disabled') return
  if (requested.type === 'enabled' && withoutBudget.test(model))
    throw new BadRequest(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    )
  if (requested.type === 'enabled' && requested.budget_tokens >= maxTokens)
    throw new BadRequest('`max_tokens` must be greater than `thinking.budget_tokens`.')
  if (temperature !== undefined && temperature !== 1)
    throw new BadRequest('`temperature` may only be set to 1 when thinking is enabled.')
  if (requested.type !== 'enabled') return
  // Reasoning before a tool call must be sent back with it within the same turn.
  const lastAssistant = messages.findLast(({ role }) => role === 'assistant')
  const isMidTurn = messages.at(-1)?.content.some(({ type }) => type === 'tool_result') === true
  const first = lastAssistant?.content[0]?.type
  if (
    isMidTurn &&
    lastAssistant?.content.some(({ type }) => type === 'tool_use') === true &&
    first !== 'thinking' &&
    first !== 'redacted_thinking'
  ) {
    throw new BadRequest(
      'Expected `thinking` or `redacted_thinking`, but found another. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    )
  }
}

function refuseUnansweredCalls(messages: Body['messages']): void {
  for (const [index, { role, content }] of messages.entries()) {
    const called = role === 'assistant' ? content.flatMap((one) => (one.type === 'tool_use' ? [one.id] : [])) : []
    const next = messages[index + 1]?.content ?? []
    const answered = next.flatMap((one) => (one.type === 'tool_result' ? [one.tool_use_id] : []))
    const open = called.filter((id) => !answered.includes(id))
    if (open.length > 0)
      throw new BadRequest(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}.`,
      )
    const results = content.flatMap((one) => (one.type === 'tool_result' ? [one.tool_use_id] : []))
    const before = (messages[index - 1]?.content ?? []).flatMap((one) => (one.type === 'tool_use' ? [one.id] : []))
    const strange = results.filter((id) => !before.includes(id))
    if (strange.length > 0)
      throw new BadRequest(
        `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${strange.join(', ')}.`,
      )
    if (new Set(called).size < called.length) throw new BadRequest(`messages.${index}: \`tool_use\` ids must be unique`)
  }
}

/** Tool results and user text arrive in one user message; here they are two. */
function sentMessages({ role, content }: Body['messages'][number]): SentMessage[] {
  const toolResults = content.flatMap((one) =>
    one.type === 'tool_result' ? [{ id: one.tool_use_id, isError: one.is_error, text: resultText(one.content) }] : [],
  )
  const text = content.map((one) => (one.type === 'text' ? one.text : '')).join('')
  const reasoning = content.map((one) => (one.type === 'thinking' ? one.thinking : '')).join('')
  const toolCalls = content.flatMap((one) =>
    one.type === 'tool_use' ? [{ id: one.id, name: one.name, input: one.input }] : [],
  )
  const results: SentMessage[] =
    toolResults.length === 0 ? [] : [{ role: 'tool', text: '', reasoning: '', toolCalls: [], toolResults }]
  return toolResults.length > 0 && text === ''
    ? results
    : [...results, { role, text, reasoning, toolCalls, toolResults: [] }]
}

function resultText(content: z.infer<typeof toolResult>['content']): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}

/** Content blocks have start and stop events. */
class MessagesWriter implements ReplyWriter {
  readonly #model: string
  readonly #index: number
  #block = -1
  #open: 'text' | 'thinking' | undefined
  #reason = 'end_turn'
  #usage = { input: 10, output: 5 }

  constructor(model: string, index: number) {
    this.#model = model
    this.#index = index
  }

  begin(): string {
    return event('message_start', {
      message: {
        id: `msg_${this.#index}`,
        type: 'message',
        role: 'assistant',
        model: this.#model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: this.#usage.input, output_tokens: 1 },
      },
    })
  }

  piece(piece: WrittenPiece): string {
    if (typeof piece === 'string')
      return this.#inBlock('text', { type: 'text', text: '' }) + this.#delta({ type: 'text_delta', text: piece })
    if ('reasoning' in piece) {
      return (
        this.#inBlock('thinking', { type: 'thinking', thinking: '', signature: '' }) +
        this.#delta({ type: 'thinking_delta', thinking: piece.reasoning })
      )
    }
    if ('tool' in piece) {
      this.#reason = 'tool_use'
      return this.#whole(
        'tool_use',
        { id: toolCallId('toolu', this.#index, this.#block + 1, piece.id), name: piece.tool },
        argumentsOf(piece),
      )
    }
    if ('search' in piece) return this.#search(piece)
    if ('usage' in piece) this.#usage = piece.usage
    if ('end' in piece)
      this.#reason = { stop: 'end_turn', length: 'max_tokens', tools: 'tool_use', refusal: 'refusal' }[piece.end]
    return 'failure' in piece ? event('error', { error: { type: 'overloaded_error', message: piece.failure } }) : ''
  }

  end(): string {
    const delta = { stop_reason: this.#reason, stop_sequence: null }
    const { input, output } = this.#usage
    return (
      this.#close() +
      event('message_delta', { delta, usage: { input_tokens: input, output_tokens: output } }) +
      event('message_stop', {})
    )
  }

  #search({ search, found }: Extract<WrittenPiece, { readonly search: string }>): string {
    const id = toolCallId('srvtoolu', this.#index, this.#block + 1, undefined)
    const use = this.#whole('server_tool_use', { id, name: 'web_search' }, JSON.stringify({ query: search }))
    this.#block++
    const content = found.map((one) => ({
      type: 'web_search_result',
      ...one,
      encrypted_content: 'opaque',
      page_age: null,
    }))
    return (
      use +
      event('content_block_start', {
        index: this.#block,
        content_block: { type: 'web_search_tool_result', tool_use_id: id, content },
      }) +
      this.#stop()
    )
  }

  #whole(type: string, block: object, input: string): string {
    const closed = this.#close()
    this.#block++
    const begin = event('content_block_start', { index: this.#block, content_block: { type, ...block, input: {} } })
    return (
      closed +
      begin +
      splitInTwo(input)
        .map((part) => this.#delta({ type: 'input_json_delta', partial_json: part }))
        .join('') +
      this.#stop()
    )
  }

  #inBlock(kind: 'text' | 'thinking', block: object): string {
    if (this.#open === kind) return ''
    const closed = this.#close()
    this.#open = kind
    this.#block++
    return closed + event('content_block_start', { index: this.#block, content_block: block })
  }

  #close(): string {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return ''
    return (
      (open === 'thinking'
        ? this.#delta({ type: 'signature_delta', signature: `signed-${this.#index}-${this.#block}` })
        : '') + this.#stop()
    )
  }

  #delta(delta: object): string {
    return event('content_block_delta', { index: this.#block, delta })
  }

  #stop(): string {
    return event('content_block_stop', { index: this.#block })
  }
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}
