import { readUIMessageStream } from 'ai'
import type { ToolSet, UIMessage } from 'ai'
import { pino } from 'pino'
import type {
  ChatChunk,
  ChatMessage,
  ChatMode,
  TurnOptions,
  TurnOutcome,
  TurnRequest,
} from '../../../../src/assistant/chat/chat-types.ts'
import { createChatModels } from '../../../../src/assistant/chat/models/chat-models.ts'
import type { ChatModel } from '../../../../src/assistant/chat/models/chat-models.ts'
import { runTurn } from '../../../../src/assistant/chat/turn/run-turn.ts'
import { readConfig } from '../../../../src/config.ts'
import { providerFetch } from '../../../../src/platform/llm/provider-fetch.ts'
import type { ProviderProtocol } from './provider-turn.ts'

export const protocols: readonly ProviderProtocol[] = ['messages', 'completions', 'responses']

/** A model at a local provider, configured by environment variables. */
export function modelAt(
  url: string,
  protocol: ProviderProtocol,
  mode: ChatMode = 'balanced',
  variables: Record<string, string> = {},
): ChatModel {
  const provider = {
    messages: { LLM_PROVIDER: 'anthropic', LLM_BASE_URL: url },
    completions: { LLM_BASE_URL: url, LLM_MODEL: 'some-model' },
    // Only OpenAI's own server supports the Responses API.
    responses: { LLM_PROVIDER: 'openai' },
  }[protocol]
  const config = readConfig(
    { LLM_API_KEY: 'secret-of-the-provider', CHAT_WEB_SEARCH: 'false', ...provider, ...variables },
    {},
  )
  return createChatModels(config, {
    retryBaseMs: 1,
    ...(protocol === 'responses' ? { callProvider: redirectCalls('https://api.openai.com', url) } : {}),
  }).of(mode)
}

/** Redirects calls from one address to another. */
export function redirectCalls(address: string, url: string): typeof fetch {
  const call = providerFetch(1024 * 1024)
  return (input, init) => {
    if (typeof input !== 'string' || !input.startsWith(`${address}/`)) throw new Error('unexpected address')
    return call(url + input.slice(address.length), init)
  }
}

export function messageBy(role: 'user' | 'assistant', text: string): ChatMessage {
  return { id: `${role}-${text}`, role, parts: [{ type: 'text', text }] }
}

export interface TurnSetup extends Partial<TurnOptions> {
  readonly model: ChatModel
  readonly messages?: readonly ChatMessage[]
  readonly tools?: ToolSet
  readonly mode?: ChatMode
  readonly signal?: AbortSignal
  readonly notices?: TurnRequest['notices']
}

export function beginTurn({
  model,
  messages = [messageBy('user', 'How high?')],
  tools = {},
  mode = 'balanced',
  signal = new AbortController().signal,
  notices = [],
  ...options
}: TurnSetup): ReadableStream<ChatChunk> {
  return runTurn(
    { model, messages, tools, mode, signal, notices, instructions: 'You answer questions.' },
    { timeoutMs: 20_000, log: pino({ level: 'silent' }), ...options },
  )
}

/** Reads an answer to its end. */
export interface CollectedAnswer {
  readonly chunks: readonly ChatChunk[]
  /** All text of the answer. */
  readonly texts: readonly string[]
  /** As AI SDK clients store it. */
  readonly message: ChatMessage
  readonly error: string | undefined
  readonly outcome: TurnOutcome
}

export async function collectTurn(setup: TurnSetup): Promise<CollectedAnswer> {
  let outcome: TurnOutcome | undefined
  const watch = setup.watch ?? { started: () => undefined, toolEnded: () => undefined, ended: () => undefined }
  const stream = beginTurn({
    ...setup,
    watch: {
      ...watch,
      ended: (reported) => {
        outcome = reported
        watch.ended(reported)
      },
    },
  })
  const chunks = await Array.fromAsync(stream)
  if (outcome === undefined) throw new Error('the turn did not report its end')
  const message = await messageOf(chunks)
  const error = chunks.find((chunk) => chunk.type === 'error')
  return {
    chunks,
    message,
    outcome,
    error: error?.errorText,
    texts: message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  }
}

/** The message that a client builds from the chunks. */
export async function messageOf(chunks: readonly ChatChunk[]): Promise<ChatMessage> {
  let message: UIMessage = { id: 'answer', role: 'assistant', parts: [] }
  for await (const state of readUIMessageStream<ChatMessage>({
    stream: ReadableStream.from<ChatChunk>(chunks),
    onError: () => undefined,
  }))
    message = state
  return message as ChatMessage
}
