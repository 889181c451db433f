import type { Config } from './config.ts'
import type { BareContext, ServiceContext } from './platform/service.ts'
import type { WeighedBlock } from './flow/decoded-block.ts'

interface Service {
  readonly description: string
  /** It works without a database: alone in a process it opens none. */
  readonly needsNoDatabase?: true
  /** It answers strangers at their pace: a process that runs nothing else lets the others of its machine go first. */
  readonly yields?: true
  /** Resolves when the service works; what goes on in the background fails through `lifecycle.fail`. */
  readonly start: (context: ServiceContext<Config, WeighedBlock>) => Promise<void>
}

/**
 * Everything that `node src/main.ts <name> …` can run; without names all of them run in one process. A service is loaded when it
 * starts: a process of the ingester alone starts in a third of the time that loading all takes. They start in this order and stop in the
 * opposite one: the chat after what it uses, and all that is behind the proxy while that still passes on what they say.
 */
export const services = {
  ingest: {
    description: 'Follow the chain and fill in its history: blocks from access nodes into the raw tables.',
    start: async (context) => (await import('./services/ingest.ts')).startIngest(context),
  },
  farm: {
    description: 'Derive transfers, accounts, holdings and all else from the stored blocks, in leased ranges.',
    start: async (context) => (await import('./services/farm.ts')).startFarm(context),
  },
  api: {
    description: 'Serve the REST API, the live feeds, the metrics and the page of the operator on PORT.',
    start: async (context) => (await import('./services/api.ts')).startApi(context),
  },
  webhooks: {
    description: 'Make webhooks of what is stored and derived, and send them.',
    start: async (context) => (await import('./services/webhooks.ts')).startWebhooks(context),
  },
  proxy: {
    description:
      'Put the chat, the query service and the MCP server behind one port, PROXY_PORT; without a name only where that is set.',
    needsNoDatabase: true,
    start: async (context: BareContext<Config, WeighedBlock>) =>
      (await import('./services/proxy.ts')).startProxy(context),
  },
  ask: {
    description:
      'Answer questions and SQL about the chain: the REST API and the page of the query service on ASK_PORT.',
    yields: true,
    start: async (context) => (await import('./services/ask.ts')).startAsk(context),
  },
  mcp: {
    description: 'Give assistants the data as tools: the MCP server on MCP_PORT.',
    yields: true,
    start: async (context) => (await import('./services/mcp.ts')).startMcp(context),
  },
  tools: {
    description:
      'Give the chat tools for Cadence, its documentation and an EVM node: MCP servers on TOOLS_PORT of this machine.',
    yields: true,
    start: async (context) => (await import('./services/tools.ts')).startTools(context),
  },
  // After those whose tools it calls, and so ended before them.
  chat: {
    description: 'Converse about the chain: a model with tools, and its page, on CHAT_PORT.',
    start: async (context) => (await import('./services/chat.ts')).startChat(context),
  },
  wallet: {
    description: 'Sign people in and give their passkeys accounts on the chain: the wallet on WALLET_PORT.',
    start: async (context) => (await import('./services/wallet.ts')).startWallet(context),
  },
  // After the wallet, whose port it names.
  editor: {
    description:
      'Keep projects, check Cadence while it is written, and reach repositories: the editor on HTTP_PORT, its language server channel on LSP_PORT.',
    start: async (context) => (await import('./services/editor.ts')).startEditor(context),
  },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services

/** Those that need no database. */
export type BareServiceName = {
  [Name in ServiceName]: (typeof services)[Name] extends { readonly needsNoDatabase: true } ? Name : never
}[ServiceName]

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name)
}

/** What runs where no service is named. A proxy is wanted only by who has a port for it: the usual one is the port of the web. */
export function usualServices({ PROXY_PORT }: { readonly PROXY_PORT?: number | undefined }): ServiceName[] {
  return Object.keys(services)
    .filter(isServiceName)
    .filter((name) => name !== 'proxy' || PROXY_PORT !== undefined)
}
