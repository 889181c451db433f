import type pg from 'pg'
import type { Lifecycle } from './lifecycle.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Terminal } from './terminal.ts'

/**
 * What every service is given.
 * @typeParam Config values of the settings that the service reads: `SettingValues<typeof …>`
 * @typeParam Block what `shared.offerBlocks` takes; only the services that hand blocks over know it
 */
export interface ServiceContext<Config, Block = never> extends BareContext<Config, Block> {
  readonly databaseUrl: string
  readonly pool: pg.Pool
}

/** What a service that needs no database is given. */
export interface BareContext<Config, Block = never> {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly terminal: Terminal
  readonly shared: Shared<Block>
}

/** Values that services of one process share. Each is absent while its owner does not run here. */
export class Shared<Block = never> {
  /** The newest sealed height that the ingester of this process has heard of. */
  latestHeight: () => number | undefined = () => undefined
  /** Whether this process runs the farm too. */
  isFarmHere = false
  /** Takes blocks that the ingester of this process has committed, so that the farm of this process need not read them. */
  offerBlocks: ((blocks: readonly Block[], chainVersion: number) => void) | undefined
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

/** Opens something once for a process, however many of its services ask for it; all get the same, also where it failed. */
export function oncePerProcess<Context extends { readonly lifecycle: Lifecycle }, Opened>(
  open: (context: Context) => Promise<Opened>,
): (context: Context) => Promise<Opened> {
  const opened = new WeakMap<Lifecycle, Promise<Opened>>()
  return (context) => {
    const known = opened.get(context.lifecycle)
    if (known !== undefined) return known
    const opening = open(context)
    opened.set(context.lifecycle, opening)
    return opening
  }
}
