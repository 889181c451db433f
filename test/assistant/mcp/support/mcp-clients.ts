import { createMCPClient } from '@ai-sdk/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[]
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined
  readonly isError?: boolean | undefined
}

/** Common interface of the tested clients. Lists are names. */
export interface ConnectedClient {
  readonly protocolVersion: string | undefined
  readonly instructions: string | undefined
  tools(): Promise<
    readonly {
      readonly name: string
      readonly annotations?: object | undefined
      readonly outputSchema?: object | undefined
    }[]
  >
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>
  resources(): Promise<readonly string[]>
  read(uri: string): Promise<string>
  templates(): Promise<readonly string[]>
  prompts(): Promise<readonly string[]>
  prompt(name: string, args: Record<string, string>): Promise<string>
  close(): Promise<void>
}

const clientInfo = { name: 'flowfarm-test', version: '0.0.0' }
type Part = { readonly text?: string | undefined } | { readonly blob?: string | undefined }

function textOf(part: Part | undefined): string {
  return part !== undefined && 'text' in part ? (part.text ?? '') : ''
}

/** The SDK client before 2026, which starts with `initialize`. */
async function connectOld(url: string): Promise<ConnectedClient> {
  const client = new OldClient(clientInfo)
  const transport = new OldTransport(new URL(url))
  await client.connect(transport)
  return {
    protocolVersion: transport.protocolVersion,
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, signal) =>
      (await client.callTool(
        { name, arguments: args },
        CallToolResultSchema,
        signal === undefined ? {} : { signal },
      )) as ToolResult,
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => textOf((await client.readResource({ uri })).contents[0]),
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) =>
      textOf((await client.getPrompt({ name, arguments: args })).messages[0]?.content as Part),
    close: () => client.close(),
  }
}

/** The 2026 SDK client. @param revision required revision; undefined: negotiated */
async function connectNew(url: string, revision: string | undefined): Promise<ConnectedClient> {
  const client = new Client(
    clientInfo,
    revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, signal) =>
      (await client.callTool({ name, arguments: args }, signal === undefined ? {} : { signal })) as ToolResult,
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => textOf((await client.readResource({ uri })).contents[0]),
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) =>
      textOf((await client.getPrompt({ name, arguments: args })).messages[0]?.content as Part),
    close: () => client.close(),
  }
}

/** The AI SDK client. */
async function connectAiSdk(url: string): Promise<ConnectedClient> {
  const client = await createMCPClient({
    transport: { type: 'http', url },
    clientName: clientInfo.name,
    version: clientInfo.version,
  })
  const optionsOf = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { options: { signal } })
  return {
    protocolVersion: client.initializeResult.protocolVersion,
    instructions: client.instructions,
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, signal) =>
      (await client.callTool({ name, arguments: args, ...optionsOf(signal) })) as ToolResult,
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => textOf((await client.readResource({ uri })).contents[0]),
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) =>
      textOf((await client.getPrompt({ name, arguments: args })).messages[0]?.content as Part),
    close: () => client.close(),
  }
}

export const clients: readonly {
  readonly name: string
  readonly protocolVersion: string
  connect(url: string): Promise<ConnectedClient>
}[] = [
  { name: 'a client of 2025', protocolVersion: '2025-11-25', connect: connectOld },
  {
    name: 'a client of 2026 with the handshake',
    protocolVersion: '2025-11-25',
    connect: (url) => connectNew(url, undefined),
  },
  { name: 'the client of the AI SDK', protocolVersion: '2026-07-28', connect: connectAiSdk },
  {
    name: 'a client of 2026 without sessions',
    protocolVersion: '2026-07-28',
    connect: (url) => connectNew(url, '2026-07-28'),
  },
]
