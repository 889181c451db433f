import type { Admission, Caller } from './access/admission.ts'
import { startMcpListener } from '../../platform/mcp/mcp-listener.ts'
import type { McpListener, McpListenerOptions } from '../../platform/mcp/mcp-listener.ts'
import { createProtocol } from './protocol.ts'
import type { ProtocolOptions } from './protocol.ts'

export interface McpHttpOptions
  extends ProtocolOptions, Pick<McpListenerOptions, 'host' | 'port' | 'origins' | 'patience' | 'closeGraceMs'> {
  readonly admission: Admission
}

/**
 * Starts the MCP server: streamable HTTP at `/mcp`, and `/health`.
 * @throws what the system says when the port cannot be bound
 */
export async function startMcpHttpServer(options: McpHttpOptions): Promise<McpListener> {
  const { admission, log, host } = options
  const listener = await startMcpListener({
    ...options,
    protocols: { '/mcp': createProtocol(options) },
    admit: async (request) => {
      const caller = await admission.admit(request)
      const client = admission.clientOf(request, caller)
      return { name: nameOf(caller), client, count: (requests) => admission.count(caller, requests) }
    },
  })
  log.info({ host, port: listener.port, path: '/mcp' }, 'the MCP server listens')
  return listener
}

/** Who calls, for the log: of a key its digest's beginning, which names it and is no key. */
function nameOf(caller: Caller): string {
  return caller.kind === 'developer' ? caller.keyDigest.slice(0, 12) : caller.kind
}
