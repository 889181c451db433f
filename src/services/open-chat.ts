import type { Config } from '../base/config.ts'
import type { Logger } from '../base/log.ts'
import { readJsonCdcValue } from '../chain/json-cdc/json-cdc-payload.ts'
import { mcpServers } from '../chat/connections/mcp-server.ts'
import type { McpServer } from '../chat/connections/mcp-server.ts'
import { McpToolSource } from '../chat/connections/mcp-tool-source.ts'
import { createChat } from '../chat/create-chat.ts'
import type { ChatParts } from '../chat/http/chat-parts.ts'
import { createChatModels } from '../chat/models/create-chat-models.ts'
import { ScriptedChatModel } from '../chat/models/scripted/scripted-chat-model.ts'
import type { ScriptedExample } from '../chat/models/scripted/scripted-example.ts'
import { fetchApiTools } from '../chat/tools/fetch-api/fetch-api.ts'
import { chatExamples } from './chat-examples.ts'
import type { ServiceContext } from './context.ts'
import { localHost } from './local-host.ts'
import { openNetwork } from './open-network.ts'
import { openSkills } from './open-skills.ts'
import type { Shared } from './shared.ts'

/**
 * Puts the chat together: its models, and the tools that they may call. Connections end with the process.
 * @throws FatalError where CHAT_MODES, FETCH_API_HOSTS or SKILLS_DIR cannot be what they are
 */
export async function openChat(context: ServiceContext, log: Logger): Promise<ChatParts> {
  const { config, lifecycle, shared } = context
  const fetchApi = fetchApiTools({ hosts: config.FETCH_API_HOSTS, readCadence: readJsonCdcValue })
  const [network, skills] = await Promise.all([openNetwork(context), openSkills(context)])
  const examples = (): readonly ScriptedExample[] => chatExamples(network())
  const script = new ScriptedChatModel({ examples })
  const models = createChatModels(config, { log, scripted: { model: script, state: script.state } })
  const source = new McpToolSource({
    servers: toolServers(config, shared),
    times: { connectMs: config.CHAT_TOOL_CONNECT_MS, callMs: longestCallMs(config) },
    log,
  })
  lifecycle.onStop('connections to tools of the chat', () => source.close())
  return createChat({
    models,
    source,
    skills,
    network,
    fetchApi,
    log,
    fetchHosts: 'fetch_api' in fetchApi ? config.FETCH_API_HOSTS : [],
    explorerUrl: config.CHAT_EXPLORER_URL,
    timeoutMs: config.CHAT_TIMEOUT_S * 1000,
    examples: examples().map(({ questions }) => questions[0]),
  })
}

/** Of a tool: longer than a statement may wait and run. */
function longestCallMs({ QUERY_TIMEOUT_S }: Config): number {
  return Math.max(60_000, (QUERY_TIMEOUT_S + 15) * 1000)
}

/** The MCP servers: those that are set, and else ours, in this process or at their usual ports. */
export function toolServers(config: Config, shared: Pick<Shared, 'mcpPort' | 'toolsPort'>): readonly McpServer[] {
  return mcpServers({
    flowfarm: () =>
      config.MCP_SERVER_URL ?? `http://${localHost(config.HOST)}:${shared.mcpPort ?? config.MCP_PORT}/mcp`,
    flowfarmKey: config.MCP_SERVER_KEY,
    script: config.SCRIPT_MCP_URL,
    evm: config.EVM_MCP_URL,
    tools: () => `http://${localHost(config.TOOLS_HOST)}:${shared.toolsPort ?? config.TOOLS_PORT}`,
  })
}
