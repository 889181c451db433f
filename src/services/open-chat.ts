import { mcpServers } from '../assistant/chat/connections/mcp-server.ts'
import type { McpServer } from '../assistant/chat/connections/mcp-server.ts'
import { McpToolSource } from '../assistant/chat/connections/mcp-tool-source.ts'
import { createChat } from '../assistant/chat/create-chat.ts'
import type { ChatParts } from '../assistant/chat/create-chat.ts'
import { createChatModels } from '../assistant/chat/models/chat-models.ts'
import { ScriptedChatModel } from '../assistant/chat/models/scripted-chat-model.ts'
import type { ScriptedExample } from '../assistant/chat/models/scripted-chat-model.ts'
import { fetchApiTools } from '../assistant/chat/tools/fetch-api.ts'
import { examplePairs } from '../assistant/query/examples/example-pairs.ts'
import type { Config } from '../config.ts'
import { readJsonCdcValue } from '../flow/json-cdc/json-cdc-payload.ts'
import type { Network } from '../flow/network.ts'
import { localHost } from '../platform/http/connections.ts'
import type { Logger } from '../platform/log.ts'
import type { ServiceContext, Shared } from '../platform/service.ts'
import { openNetwork } from './open-network.ts'
import { openSkills } from './open-skills.ts'

/**
 * Puts the chat together: its models, and the tools that they may call. Connections end with the process.
 * @throws FatalError where CHAT_MODES, FETCH_API_HOSTS or SKILLS_DIR cannot be what they are
 */
export async function openChat(context: ServiceContext<Config>, log: Logger): Promise<ChatParts> {
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

/** Examples of the query service that the chat shows to begin with, by their first wording. Their charts are of all five kinds. */
const chosen: readonly { readonly question: string; readonly title: string; readonly isShares?: boolean }[] = [
  { question: 'How many transactions were there each day?', title: 'Transactions by day' },
  {
    question: 'How are FLOW transfers distributed by size in the last 10,000 blocks?',
    title: 'FLOW transfers by size',
    isShares: true,
  },
  { question: 'Which fungible tokens have the most holders?', title: 'Holders by token' },
  { question: "Which contracts do users' transactions import most often?", title: 'Transactions by imported contract' },
  {
    question: 'How many scheduled transactions are there by status and priority?',
    title: 'Scheduled transactions by status and priority',
    isShares: true,
  },
  { question: 'What kinds of transactions were there in the last 10,000 blocks?', title: 'Transactions by kind' },
  { question: 'How many accounts were created each day?', title: 'New accounts by day' },
  { question: 'Which nodes have the most FLOW staked?', title: 'FLOW staked by node' },
]

/**
 * The example questions of the chat, with the addresses of a network.
 * @throws Error for one that the query service does not have: then this list is wrong
 */
export function chatExamples(network: Network): readonly ScriptedExample[] {
  const pairs = new Map(examplePairs('indexer', network).map((pair) => [pair.questions[0], pair]))
  return chosen.map(({ question, ...chart }) => {
    const pair = pairs.get(question)
    if (pair === undefined) throw new Error(`The chat names an example question that there is not: ${question}`)
    return { ...pair, ...chart }
  })
}
