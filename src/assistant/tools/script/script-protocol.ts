import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { Network } from '../../../flow/network.ts'
import type { DocLibrary } from '../docs/doc-library.ts'
import { registerDocTools } from '../docs/doc-tools.ts'
import { listHints, onlyTools } from '../protocol-options.ts'
import type { ToolServerBasics } from '../protocol-options.ts'
import type { ScriptParser } from '../../../flow/cadence/script-parser.ts'
import { registerScriptTools } from './script-tools.ts'

export interface ScriptServerParts {
  readonly parser: ScriptParser
  readonly network: () => Network
  /** The documents as they are now. */
  readonly library: () => Promise<DocLibrary>
}

const instructions = [
  'Tools for Cadence, the language of the Flow blockchain, and the documentation of flowfarm. Nothing is run and nothing is changed.',
  'Write Cadence 1.0 (access(all), not pub). Check a script with script_check before it is run; it checks the syntax, not the types.',
  'search_docs finds sections, get_doc reads them by their id.',
].join('\n')

/** What is spoken at `/script/mcp`. */
export function createScriptProtocol(
  { version, log, metrics }: ToolServerBasics,
  { parser, network, library }: ScriptServerParts,
): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo }) => {
      const server = new McpServer(
        { name: 'flowfarm-script', title: 'Cadence and documentation', version },
        { instructions, cacheHints: listHints, capabilities: onlyTools },
      )
      const context = { caller: authInfo?.clientId ?? 'open', log, metrics }
      registerScriptTools(server, { parser, network, context })
      registerDocTools(server, { library, context })
      return server
    },
    { onerror: (error) => log.debug({ err: error }, 'a request of the protocol was refused or cut off') },
  )
}
