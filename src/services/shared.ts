import type { FetchedBlock } from '../access/messages.ts'
import type { NodeStatus } from '../access/chain-source.ts'

/** What the services of one process know of each other. Each value is absent while its owner does not run here. */
export class Shared {
  /** The newest sealed height that the ingester of this process has heard of. */
  latestHeight: () => number | undefined = () => undefined
  /** The access nodes as the ingester of this process sees them. */
  nodes: () => readonly NodeStatus[] = () => []
  /** Whether this process runs the farm too. */
  isFarmHere = false
  /** Takes blocks that the ingester of this process has committed, so that the farm of this process need not read them. */
  offerBlocks: ((blocks: readonly FetchedBlock[], chainVersion: number) => void) | undefined
  /** Resolves when the farm of this process can take more blocks of history: nobody who follows the head waits for it. */
  historyRoom: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Interrupts sessions of the PostgreSQL that this process started, where it did. */
  interruptSessions: ((pids: readonly number[]) => Promise<void>) | undefined
  /** Database sessions of the query service of this process that do not end. */
  stuckSessions: () => number = () => 0
  /** The port that the API of this process listens on. */
  apiPort: number | undefined
  /** The port that the query service of this process listens on. */
  askPort: number | undefined
  /** The port that the MCP server of this process listens on. */
  mcpPort: number | undefined
  /** The port that the chat of this process listens on. */
  chatPort: number | undefined
  /** The port that the wallet of this process listens on. */
  walletPort: number | undefined
  /** The port that the editor of this process listens on. */
  editorPort: number | undefined
  /** The port that the language server channel of this process listens on. */
  lspPort: number | undefined
  /** The port that the tool servers of this process listen on. */
  toolsPort: number | undefined
  /** The port that the reverse proxy of this process listens on. */
  proxyPort: number | undefined
}
