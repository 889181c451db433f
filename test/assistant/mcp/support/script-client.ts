import type { ScriptRunner } from '../../../../src/assistant/mcp/script-runners.ts'
import { clients } from './mcp-clients.ts'
import type { ConnectedClient, ToolResult } from './mcp-clients.ts'
import { runMcp } from './running-mcp.ts'
import { scriptedQueries } from './scripted-queries.ts'

export type StopAtEnd = (stop: () => Promise<void>) => void

export async function connectForScripts(scripts: ScriptRunner, atEnd: StopAtEnd): Promise<ConnectedClient> {
  const mcp = await runMcp({ queries: scriptedQueries(), scripts })
  atEnd(mcp.stop)
  const client = await clients.at(-1)?.connect(mcp.url)
  if (client === undefined) throw new Error('no client')
  atEnd(client.close)
  return client
}

/** Error code of a call; undefined on success. */
export function codeOf({ isError, structuredContent }: ToolResult): unknown {
  return isError === true ? structuredContent?.['error_code'] : undefined
}
