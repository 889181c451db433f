import type { ToolSet } from 'ai'

/** Tools as they are at this moment. */
export interface FoundTools {
  readonly tools: ToolSet
  /** Servers whose tools are not there now, with the reason in words for the user; the turn goes on without them. */
  readonly missing: readonly { readonly source: string; readonly reason: string }[]
}

/** Where tools come from that are not our own: MCP servers. Connections are kept from turn to turn, and end with the process. */
export interface ToolSource {
  /**
   * The tools for a turn. Never waits longer than `CHAT_TOOL_CONNECT_MS` (3,000) for servers that do not answer, and never rejects for
   * them; it rejects with the signal's reason when whoever asked has left.
   */
  find(signal: AbortSignal): Promise<FoundTools>
  close(): Promise<void>
}
