import { join, resolve } from 'node:path'
import type { SettingValues } from '../../platform/setting.ts'
import type { servingSettings, proxySettings } from '../../platform/http/settings.ts'
import type { askSettings } from '../query/settings.ts'
import type { chatSettings } from './settings.ts'
import { pageAddress, localHost } from '../../platform/http/connections.ts'
import { addressList, clientReader, loopbackNetworks } from '../../platform/limits/clients.ts'
import { asError } from '../../platform/errors.ts'
import { createChatServer } from './chat-server.ts'
import type { ChatServerOptions } from './chat-server.ts'
import { AnswerLimits } from './answer-limits.ts'
import { cannotListen } from '../../platform/http/cannot-listen.ts'
import type { ServiceContext, Shared } from '../../platform/service.ts'
import { applicationsOf } from '../../platform/pages/applications.ts'
import { createDashboardPages } from '../../platform/pages/dashboard-pages.ts'
import { pageBuildOf } from '../../platform/pages/page-build.ts'
import { createRootPage } from '../../platform/pages/serve-page.ts'
import { mcpServers } from './connections/mcp-server.ts'
import type { McpServer } from './connections/mcp-server.ts'
import { McpToolSource } from './connections/mcp-tool-source.ts'
import { createChat } from './create-chat.ts'
import type { ChatParts } from './create-chat.ts'
import { createChatModels } from './models/chat-models.ts'
import { ScriptedChatModel } from './models/scripted-chat-model.ts'
import type { ScriptedExample } from './models/scripted-chat-model.ts'
import { ChatFeedback } from './records/chat-feedback.ts'
import { SharedChats } from './records/shared-chats.ts'
import { fetchApiTools } from './tools/fetch-api.ts'
import { AgentMemory } from '../query/agent-memory.ts'
import { PairFolder } from '../query/pair-folder.ts'
import { similarPairs } from './turn/similar-pairs.ts'
import { examplePairs } from '../query/example-pairs.ts'
import type { ExamplePair } from '../query/example-pairs.ts'
import type { QueryTarget } from '../query/query-service.ts'
import { readJsonCdcValue } from '../../flow/json-cdc/json-cdc-payload.ts'
import { alertMailRemedy } from '../query/alerts/alert-mails.ts'
import type { mailSettings } from '../../platform/mail/mail-sender.ts'
import type { Network } from '../../flow/network.ts'
import type { Logger } from '../../platform/log.ts'
import { openNetwork } from '../network.ts'
import { openSkills } from '../open-skills.ts'

type Config = SettingValues<
  typeof chatSettings & typeof askSettings & typeof mailSettings & typeof servingSettings & typeof proxySettings
>

export async function startChat(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'chat' })
  const parts = await openChat(context, log)
  const pages = createDashboardPages({
    page: 'chat',
    log,
    build: pageBuildOf(context),
    applications: applicationsOf(context, 'chat'),
  })
  lifecycle.onStop('page of the chat', () => pages.stop())
  const records = {
    shares: new SharedChats(context.pool, config.CHAT_SHARE_DAYS),
    feedback: new ChatFeedback(context.pool),
  }
  deleteExpiredRecords({ ...records, lifecycle, log })
  const server = await createChatServer({
    parts,
    ...records,
    log,
    metrics,
    host: config.HOST,
    port: config.CHAT_PORT,
    page: createRootPage(pages, ['share']),
    ...admission(config),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'CHAT_PORT', port: config.CHAT_PORT, host: config.HOST })
  })
  shared.chatPort = server.port
  lifecycle.onStop('chat', () => server.close())
  const { models } = parts
  log.info(
    {
      url: pageAddress(config.HOST, server.port),
      port: server.port,
      models: models.modes.map(({ mode, state }) => `${mode}: ${state.provider}/${state.name}`),
    },
    'Chat listening',
  )
  if (models.remedy !== undefined) log.info(`No language model configured for the chat: ${models.remedy}`)
  const isOpen = config.API_TOKEN === undefined && !['127.0.0.1', '::1', 'localhost'].includes(config.HOST)
  if (isOpen && models.modes.some(({ state }) => !state.isScripted))
    log.warn('API_TOKEN is not set: anyone who can reach the chat can use the paid model')
  parts.prepare(lifecycle.signal).catch((error: unknown) => {
    if (!lifecycle.signal.aborted) log.warn({ err: asError(error) }, 'Cannot list tools; each question retries')
  })
}

interface ExpiringRecords extends Pick<ServiceContext<Config>, 'lifecycle' | 'log'> {
  readonly shares: Pick<SharedChats, 'deleteExpired'>
  readonly feedback: Pick<ChatFeedback, 'deleteExpired'>
  readonly everyMs?: number
}

/** Now and every hour. */
export function deleteExpiredRecords({ shares, feedback, lifecycle, log, everyMs = 3_600_000 }: ExpiringRecords): void {
  const run = (): void => {
    Promise.all([shares.deleteExpired(), feedback.deleteExpired()]).catch((error: unknown) =>
      log.warn({ err: asError(error) }, 'Could not delete expired chat records'),
    )
  }
  run()
  const timer = setInterval(run, everyMs)
  lifecycle.onStop('expired chat records', () => clearInterval(timer))
}

export function admission(config: Config): Pick<ChatServerOptions, 'token' | 'limits' | 'clientOf' | 'trustedProxies'> {
  return {
    token: config.API_TOKEN,
    limits: new AnswerLimits({
      max: config.CHAT_CONCURRENCY,
      maxPerClient: config.CHAT_CLIENT_CONCURRENCY,
      perMinute: config.CHAT_RATE_LIMIT,
    }),
    trustedProxies: addressList(config.TRUSTED_PROXIES),
    // A local program that misreports its client could also call without a limit.
    clientOf: clientReader(addressList([...config.TRUSTED_PROXIES, ...loopbackNetworks])),
  }
}

/** @throws FatalError for invalid CHAT_MODES, FETCH_API_HOSTS or SKILLS_DIR */
export async function openChat(context: ServiceContext<Config>, log: Logger): Promise<ChatParts> {
  const { config, lifecycle, shared } = context
  const fetchApi = fetchApiTools({ hosts: config.FETCH_API_HOSTS, readCadence: readJsonCdcValue })
  const [network, skills] = await Promise.all([openNetwork(context), openSkills(context)])
  const examples = (): readonly ScriptedExample[] => chatExamples(network())
  const script = new ScriptedChatModel({ examples, watched: () => knownPairs('indexer', network()) })
  const models = createChatModels(config, { log, scripted: { model: script, state: script.state } })
  const source = new McpToolSource({
    servers: toolServers(config, shared),
    times: { connectMs: config.CHAT_TOOL_CONNECT_MS, callMs: longestCallMs(config) },
    log,
  })
  lifecycle.onStop('tool connections of the chat', () => source.close())
  return createChat({
    models,
    source,
    skills,
    findPairs: similarPairs({
      log,
      examples: (target) => knownPairs(target, network()),
      memory: new AgentMemory({ folder: new PairFolder(join(resolve(config.CHROMA_PERSIST_DIR), 'pairs'), log) }),
    }),
    network,
    fetchApi,
    log,
    fetchHosts: 'fetch_api' in fetchApi ? config.FETCH_API_HOSTS : [],
    explorerUrl: config.CHAT_EXPLORER_URL,
    sendsEmail: alertMailRemedy(config) === undefined,
    contextTokens: config.CHAT_CONTEXT_TOKENS,
    timeoutMs: config.CHAT_TIMEOUT_S * 1000,
    examples: [...examples().map(({ questions }) => questions[0]), alertExample],
  })
}

/** Longer than a statement may queue and run. */
function longestCallMs({ QUERY_TIMEOUT_S }: Config): number {
  return Math.max(60_000, (QUERY_TIMEOUT_S + 15) * 1000)
}

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

/** Watches an example question, so that the scripted model can write it. */
export const alertExample = 'Tell me when the newest indexed block is above 200 million'

const parsedPairs = new Map<string, readonly ExamplePair[]>()

function knownPairs(target: QueryTarget, network: Network): readonly ExamplePair[] {
  const key = `${target} ${network}`
  const pairs = parsedPairs.get(key) ?? examplePairs(target, network)
  parsedPairs.set(key, pairs)
  return pairs
}

export function chatExamples(network: Network): readonly ScriptedExample[] {
  const pairs = new Map(examplePairs('indexer', network).map((pair) => [pair.questions[0], pair]))
  return chosen.map(({ question, ...chart }) => {
    const pair = pairs.get(question)
    if (pair === undefined) throw new Error(`unknown example question: ${question}`)
    return { ...pair, ...chart }
  })
}
