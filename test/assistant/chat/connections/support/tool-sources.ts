import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { asSchema } from 'ai'
import type { ToolSet } from 'ai'
import { pino } from 'pino'
import type { Logger } from 'pino'
import type { McpServer } from '../../../../../src/assistant/chat/connections/mcp-server.ts'
import { McpToolSource } from '../../../../../src/assistant/chat/connections/mcp-tool-source.ts'
import type { FoundTools, McpToolSourceOptions } from '../../../../../src/assistant/chat/connections/mcp-tool-source.ts'
import type { InputSchema } from '../../../../../src/assistant/chat/connections/safe-schema.ts'
import { startFaultyMcpServer } from './faulty-mcp-server.ts'
import type { FaultyMcpServer, FaultyMcpOptions } from './faulty-mcp-server.ts'

export const never = new AbortController().signal

/** Cleanup after a test, last first. */
export const ends: (() => Promise<void>)[] = []

export function server(url: string, changes: Partial<McpServer> = {}): McpServer {
  return {
    name: 'script',
    title: 'the server for Cadence',
    url: () => url,
    key: undefined,
    tools: ['script_check', 'search_docs'],
    texts: [],
    isOurs: false,
    isConfigured: true,
    ...changes,
  }
}

export function source(
  servers: readonly McpServer[],
  times: McpToolSourceOptions['times'] = {},
  log: Logger = pino({ level: 'silent' }),
): McpToolSource {
  const made = new McpToolSource({ servers, times, log })
  ends.push(() => made.close())
  return made
}

export async function odd(options: FaultyMcpOptions = {}): Promise<FaultyMcpServer> {
  const made = await startFaultyMcpServer(options)
  ends.push(() => made.stop())
  return made
}

export function run(tools: ToolSet, name: string, input: unknown = {}, abortSignal?: AbortSignal): Promise<unknown> {
  const execute = tools[name]?.execute
  if (execute === undefined) throw new Error(`no such tool: ${name}`)
  return Promise.resolve(
    execute(input, {
      toolCallId: '1',
      messages: [],
      context: {},
      ...(abortSignal === undefined ? {} : { abortSignal }),
    }),
  )
}

export async function schemaOf(tools: ToolSet, name: string): Promise<InputSchema> {
  const reported: unknown = await asSchema(tools[name]?.inputSchema).jsonSchema
  return reported as InputSchema
}

export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it did not fail')
}

/** Polls the tools in successive turns until the condition holds. */
export async function findUntil(tools: McpToolSource, isRight: (found: FoundTools) => boolean): Promise<FoundTools> {
  for (;;) {
    const found = await tools.find(never)
    if (isRight(found)) return found
    await turn()
  }
}

/** An unused port. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const closed = once(listener, 'close')
  listener.close()
  await closed
  return port
}

export async function endAll(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
}
