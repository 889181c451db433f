import type { ToolSet } from 'ai'

export interface ToolsetParts {
  /** Ours: `fetch_api`, `createChart`, `loadSkill`. */
  readonly builtIn: ToolSet
  /** Those of MCP servers. */
  readonly found: ToolSet
  /** Those that the provider of the model runs: `web_search`, or none. */
  readonly provider: ToolSet
}

/**
 * All tools of a turn. Our own names count before those of the provider, and these before those of MCP servers. The order is always the same: what a
 * provider keeps of a prompt is good only while the list of tools before it does not change.
 */
export function mergeTools({ builtIn, found, provider }: ToolsetParts): ToolSet {
  return { ...found, ...builtIn, ...provider, ...builtIn }
}
