import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import type { QueryService } from '../ask/query-service.ts'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Network } from '../chain/network.ts'
import type { Skills } from '../skills/skill.ts'
import { instructionsFor } from './instructions.ts'
import { registerPrompts } from './prompts.ts'
import { registerResources } from './resources/register-resources.ts'
import { SkillResources } from './skills/skill-resources.ts'
import type { CallContext } from '../base/mcp/call-context.ts'
import { registerAskTool, registerGenerateTool } from './tools/question-tools.ts'
import type { ScriptRunner } from './scripts/script-runner.ts'
import { registerScriptTool } from './tools/script-tool.ts'
import { registerSqlTool } from './tools/sql-tools.ts'

export interface ProtocolOptions {
  readonly queries: QueryService
  readonly scripts: ScriptRunner
  /** The network that scripts run on. */
  readonly network: () => Network
  readonly skills: Skills
  /** Of the program, as clients show it. */
  readonly version: string
  readonly log: Logger
  readonly metrics: Metrics
}

/** What is listed changes only with the program and its settings. */
const listed = { ttlMs: 300_000, cacheScope: 'public' } as const
const cacheHints = {
  'server/discover': listed,
  'tools/list': listed,
  'prompts/list': listed,
  'resources/list': listed,
  'resources/templates/list': listed,
} as const

/** Nobody is told of changes, since there are none. */
const capabilities = {
  tools: { listChanged: false },
  resources: { listChanged: false },
  prompts: { listChanged: false },
} as const

/**
 * What is spoken at `/mcp`: revision 2026-07-28 and, for clients that begin with `initialize`, those up to 2025-11-25. Each
 * request has a server of its own and nothing is kept between two, so any process can answer any of them.
 */
export function createProtocol({
  queries,
  scripts,
  network,
  skills,
  version,
  log,
  metrics,
}: ProtocolOptions): McpHttpHandler {
  const instructions = instructionsFor(queries, skills)
  const skillsExtension = new SkillsExtension({
    source: new SkillResources(skills),
    cacheHint: listed,
    onWarning: ({ path, message }) => log.warn({ file: path, remedy: message }, 'this skill is not offered'),
  })
  return createMcpHandler(
    ({ authInfo }) => {
      const server = new McpServer(
        { name: 'flowfarm', title: 'Flow blockchain data', version },
        { instructions, cacheHints, capabilities },
      )
      const client = authInfo?.extra?.['client']
      const context = {
        caller: authInfo?.clientId ?? 'open',
        client: typeof client === 'string' ? client : undefined,
        log,
        metrics,
      }
      registerTools(server, { queries, scripts, context })
      registerResources(server, queries, network)
      registerPrompts(server, queries)
      skillsExtension.attach(server)
      return server
    },
    {
      // What is reported here was answered: requests that are not right, and clients that went away.
      onerror: (error) => log.debug({ err: error }, 'a request of the protocol was refused or cut off'),
    },
  )
}

interface ToolParts {
  readonly queries: QueryService
  readonly scripts: ScriptRunner
  readonly context: CallContext
}

function registerTools(server: McpServer, { queries, scripts, context }: ToolParts): void {
  for (const target of queries.targets) registerSqlTool(server, queries, target, context)
  registerScriptTool(server, scripts, context)
  for (const target of queries.targets) {
    registerAskTool(server, queries, target, context)
    registerGenerateTool(server, queries, target, context)
  }
}
