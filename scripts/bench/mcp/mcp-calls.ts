/** A message that is sent again and again. */
export interface McpCall {
  readonly name: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Revision of the protocol. */
  readonly revision: string
}

const runSql = {
  method: 'tools/call',
  params: { name: 'run_indexer_sql', arguments: { sql: 'SELECT 1 AS one' } },
} as const
const listTools = { method: 'tools/list', params: {} } as const

/** What is measured: each in both eras of the protocol. */
export const mcpCalls: readonly McpCall[] = [
  { name: 'run_indexer_sql, 2026-07-28', revision: '2026-07-28', ...runSql },
  { name: 'run_indexer_sql, 2025-11-25', revision: '2025-11-25', ...runSql },
  { name: 'tools/list, 2026-07-28', revision: '2026-07-28', ...listTools },
  { name: 'tools/list, 2025-11-25', revision: '2025-11-25', ...listTools },
]

/** Headers and body of a call. Since 2026-07-28 every message names its revision, and its headers what is called. */
export function messageOf(
  { method, params, revision }: McpCall,
  id: number,
): { headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': revision,
  }
  if (revision < '2026') return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }
  headers['Mcp-Method'] = method
  if (typeof params['name'] === 'string') headers['Mcp-Name'] = params['name']
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: meta, ...params } }) }
}
