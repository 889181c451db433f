import { pino } from 'pino'
import { scriptNames } from '../../jobs/enrichment/enrichment-worker.ts'
import type { EnrichmentWorker, ScriptName } from '../../jobs/enrichment/enrichment-worker.ts'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import type { ClosableChainReader } from '../../src/access/create-chain-reader.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { EnrichmentLoop } from '../../src/farm/enrichment/enrichment-loop.ts'
import type { EnrichmentLoopOptions } from '../../src/farm/enrichment/enrichment-loop.ts'
import { loadScripts, readJson } from '../../src/farm/enrichment/service.ts'
import { ScriptNode, cdc, refuse, texts } from './script-node.ts'
import type { Cdc, Ledger, ScriptCall } from './script-node.ts'
import { quiet } from './chain-source.ts'
import type { TestDatabase } from './database.ts'

/** A token with a name and no other data. */
const token = (name: string): Cdc => {
  const none = cdc.optional(null)
  return cdc.optional(
    cdc.struct({
      name: cdc.optional(cdc.string(name)),
      symbol: none,
      description: none,
      externalUrl: none,
      logo: none,
      socials: cdc.dictionary([]),
      vaultPath: none,
      receiverPath: none,
      balancePath: none,
      totalSupply: none,
    }),
  )
}

export const tokenNames = ({ args }: ScriptCall): string[] => texts(args[1])
/** Names are the tokens' contract names. */
export const tokenResults = (call: ScriptCall): Cdc => cdc.array(tokenNames(call).map(token))

/** Script results by name. */
export type ScriptResults = Partial<Record<ScriptName, (call: ScriptCall) => Cdc | Promise<Cdc>>>

/** A queryable chain, and enrichment workers that write into a database. */
export class EnrichmentWorld {
  readonly database: TestDatabase
  readonly node: ScriptNode
  readonly reader: ClosableChainReader
  readonly metrics = new Metrics()
  readonly script: (name: ScriptName) => string

  private constructor(database: TestDatabase, node: ScriptNode, script: (name: ScriptName) => string) {
    this.database = database
    this.node = node
    this.script = script
    this.reader = createChainReader({ liveEndpoints: [node.endpoint], timeoutMs: 2000, log: quiet })
  }

  static async start(database: TestDatabase): Promise<EnrichmentWorld> {
    return new EnrichmentWorld(database, await ScriptNode.start(), await loadScripts('emulator'))
  }

  /** Sets the chain's results from now on. */
  answer(scripts: ScriptResults, account?: Ledger['account']): void {
    const byText = new Map(scriptNames.map((name) => [this.script(name), scripts[name]]))
    this.node.ledger = {
      script: (call) => byText.get(call.script)?.(call) ?? refuse('INVALID_ARGUMENT', 'this script fails'),
      ...(account === undefined ? {} : { account }),
    }
  }

  /** The number of calls of one script so far. */
  calls(name: ScriptName): ScriptCall[] {
    return this.node.scripts.filter(({ script }) => script === this.script(name))
  }

  options(worker: EnrichmentWorker): EnrichmentLoopOptions {
    return {
      pool: this.database.pool,
      worker,
      concurrency: 1,
      range: 1000,
      log: pino({ level: 'silent' }),
      metrics: this.metrics,
      roundMs: 0,
      context: { reader: this.reader, network: 'emulator', script: this.script, readJson },
    }
  }

  /** Runs rounds until no work is left, as the loop does. */
  async run(worker: EnrichmentWorker, options: Partial<EnrichmentLoopOptions> = {}): Promise<void> {
    const loop = new EnrichmentLoop({ ...this.options(worker), ...options })
    while (await loop.round(new AbortController().signal)) continue
  }

  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.pool.query(text, values)).rows as Row[]
  }

  async stop(): Promise<void> {
    await this.reader.close()
    await this.node.stop()
  }
}
