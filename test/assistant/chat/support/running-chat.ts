import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { createChatServer } from '../../../../src/assistant/chat/chat-server.ts'
import type { ChatServerOptions } from '../../../../src/assistant/chat/chat-server.ts'
import type { ChatChunk } from '../../../../src/assistant/chat/chat-types.ts'
import { ChatFeedback } from '../../../../src/assistant/chat/records/chat-feedback.ts'
import { SharedChats } from '../../../../src/assistant/chat/records/shared-chats.ts'
import { readConfig } from '../../../../src/config.ts'
import type { Config } from '../../../../src/config.ts'
import { Lifecycle, Shared } from '../../../../src/platform/service.ts'
import { Metrics } from '../../../../src/platform/metrics.ts'
import type { ServiceContext } from '../../../../src/platform/service.ts'
import { Terminal } from '../../../../src/platform/terminal.ts'
import { admission, openChat } from '../../../../src/assistant/chat/service.ts'
import { startMcp } from '../../../../src/assistant/mcp/service.ts'
import { AlertEndpoints } from '../../../../src/webhooks/alert-endpoints.ts'
import { webhookStores } from '../../../../src/webhooks/webhook-stores.ts'
import type { TestDatabase } from '../../../support/database.ts'

export interface RunningChat extends AsyncDisposable {
  readonly origin: string
  readonly metrics: Metrics
  /** Sends a question as a new conversation. */
  ask(text: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
  /** Sends a body. */
  post(body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  stop(): Promise<void>
}

export interface RunChatOptions {
  readonly database: TestDatabase
  /** Environment variables. */
  readonly variables?: Readonly<Record<string, string>>
  /** Whether flowfarm's MCP server runs too. Default: its port is unused. */
  readonly hasMcp?: boolean
  readonly server?: Pick<ChatServerOptions, 'closeGraceMs' | 'timeouts'>
  readonly log?: Logger
}

/** The chat on 127.0.0.1, as the program runs it, without its page. */
export async function runChat({
  database,
  variables = {},
  hasMcp = false,
  server: serverOptions,
  log = pino({ level: 'silent' }),
}: RunChatOptions): Promise<RunningChat> {
  const lifecycle = new Lifecycle(log)
  const metrics = new Metrics()
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-chat-'))
  lifecycle.onStop('folder', () => rm(folder, { recursive: true, force: true }))
  const closed = { MCP_SERVER_URL: 'http://127.0.0.1:1/mcp' }
  const config = readConfig(
    {
      CHROMA_PERSIST_DIR: folder,
      HOST: '127.0.0.1',
      MCP_PORT: '0',
      TOOLS_PORT: '1',
      ...(hasMcp ? {} : closed),
      ...variables,
    },
    {},
  )
  const context: ServiceContext<Config> = {
    config,
    databaseUrl: database.url,
    pool: database.pool,
    log,
    metrics,
    lifecycle,
    terminal: new Terminal(),
    shared: new Shared(),
  }
  const stop = (): Promise<void> => lifecycle.stop('the test is over')
  try {
    if (hasMcp) await startMcp(context, new AlertEndpoints(webhookStores(context.pool, [])))
    const server = await createChatServer({
      parts: await openChat(context, log),
      shares: new SharedChats(context.pool, config.CHAT_SHARE_DAYS),
      feedback: new ChatFeedback(context.pool),
      log,
      metrics,
      host: '127.0.0.1',
      port: 0,
      closeGraceMs: 500,
      ...admission(config),
      ...serverOptions,
    })
    lifecycle.onStop('server', () => server.close())
    const origin = `http://127.0.0.1:${server.port}`
    const post: RunningChat['post'] = (body, headers = {}, signal) =>
      fetch(`${origin}/api/chat`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      })
    return {
      origin,
      metrics,
      post,
      stop,
      [Symbol.asyncDispose]: stop,
      ask: (text, headers, signal) =>
        post({ messages: [{ id: 'q', role: 'user', parts: [{ type: 'text', text }] }] }, headers, signal),
      get: (path, headers = {}) => fetch(`${origin}${path}`, { headers }),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Reads an answer to its end. @throws unless it is a complete stream */
export async function readChunks(response: Response): Promise<readonly ChatChunk[]> {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  const events = text
    .split('\n\n')
    .filter((event) => event !== '' && !event.startsWith(':'))
    .map((event) => event.replace(/^data: /, ''))
  if (events.pop() !== '[DONE]') throw new Error(`it was cut off: ${text.slice(-300)}`)
  return events.map((event) => JSON.parse(event) as ChatChunk)
}

/** Text of the answer, without reasoning and tools. */
export function answerTextOf(chunks: readonly ChatChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
}
