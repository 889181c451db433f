import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { ProviderCall, ProviderError, ProviderReply } from './provider-turn.ts'

/** What a protocol has its own way to say. */
export interface WireProtocol {
  /** @throws ZodError for a body that the protocol does not have */
  readRequest(body: unknown): WireRequest
  /** What is wrong with the headers; undefined where nothing is. */
  refuse(headers: IncomingHttpHeaders): ProviderError | undefined
  reply(reply: ProviderReply, model: string): unknown
  error(error: ProviderError): unknown
}

export type WireRequest = Pick<ProviderCall, 'model' | 'maxTokens' | 'instructions' | 'messages' | 'tools'>

/** A text, or its parts, of which those that are no text are of no interest here. */
const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .transform((given) => (typeof given === 'string' ? given : given.map(({ text = '' }) => text).join('')))

const messagesBody = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: content.default(''),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content })).min(1),
  tools: z.array(z.object({ name: z.string() })).default([]),
})

/** Source: the Messages API of Anthropic, version 2023-06-01. */
const anthropicMessages: WireProtocol = {
  readRequest: (body) => {
    const { model, max_tokens: maxTokens, system, messages, tools } = messagesBody.parse(body)
    return {
      model,
      maxTokens,
      instructions: system,
      messages: messages.map(plain),
      tools: tools.map(({ name }) => name),
    }
  },
  refuse: (headers) => {
    if (headers['anthropic-version'] === undefined)
      return { status: 400, message: 'anthropic-version: header is required' }
    return headers['x-api-key'] === undefined ? { status: 401, message: 'x-api-key header is required' } : undefined
  },
  reply: ({ text, isCutOff = false, toolCall }, model) => ({
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      { type: 'text', text },
      ...(toolCall === undefined ? [] : [{ type: 'tool_use', id: 'toolu_fake', ...toolCall }]),
    ],
    stop_reason: isCutOff ? 'max_tokens' : toolCall === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  error: ({ status, message }) => ({ type: 'error', error: { type: anthropicErrors[status] ?? 'api_error', message } }),
}

const anthropicErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const completionsBody = z.object({
  model: z.string(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  messages: z.array(z.object({ role: z.enum(['system', 'developer', 'user', 'assistant']), content })).min(1),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
})

/** Source: the Chat Completions API of OpenAI. Servers of one's own, which speak it too, often want no key. */
const chatCompletions: WireProtocol = {
  readRequest: (body) => {
    const {
      model,
      messages,
      tools,
      max_tokens: maxTokens,
      max_completion_tokens: maxCompletionTokens,
    } = completionsBody.parse(body)
    const told = messages.filter(({ role }) => role === 'system' || role === 'developer')
    return {
      model,
      maxTokens: maxTokens ?? maxCompletionTokens,
      instructions: told.map((message) => message.content).join('\n'),
      messages: messages.filter((message) => !told.includes(message)).map(plain),
      tools: tools.map((tool) => tool.function.name),
    }
  },
  refuse: () => undefined,
  reply: ({ text, isCutOff = false, toolCall }, model) => ({
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        finish_reason: isCutOff ? 'length' : toolCall === undefined ? 'stop' : 'tool_calls',
        message: {
          role: 'assistant',
          content: text,
          refusal: null,
          ...(toolCall === undefined ? {} : { tool_calls: [functionCall(toolCall)] }),
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  error: ({ status, message }) => ({
    error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'api_error', param: null, code: null },
  }),
}

function functionCall({ name, input }: NonNullable<ProviderReply['toolCall']>): unknown {
  return { id: 'call_fake', type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function plain({ role, content: text }: { readonly role: string; readonly content: string }): {
  readonly role: string
  readonly text: string
} {
  return { role, text }
}

/** The protocols by the paths at which they are served. */
export const wireProtocols: ReadonlyMap<string, WireProtocol> = new Map([
  ['/v1/messages', anthropicMessages],
  ['/v1/chat/completions', chatCompletions],
])
