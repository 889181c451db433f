import { pino } from 'pino'
import type { Network } from '../../../../src/flow/network.ts'
import { scriptReference } from '../../../../src/assistant/tools/script-reference.ts'
import { libraryOf } from '../../../../src/assistant/tools/doc-library.ts'
import type { SourceDocument } from '../../../../src/assistant/tools/doc-sections.ts'
import { startToolServers } from '../../../../src/assistant/tools/tool-servers.ts'
import type { ToolServerOptions } from '../../../../src/assistant/tools/tool-servers.ts'
import { Metrics } from '../../../../src/platform/metrics.ts'

export interface RunningTools {
  readonly origin: string
  readonly scriptUrl: string
  readonly evmUrl: string
  readonly metrics: Metrics
  stop(): Promise<void>
}

const oneDocument: readonly SourceDocument[] = [{ id: 'reference/scripts', text: scriptReference('mainnet') }]

interface RunToolsOptions extends Partial<Pick<ToolServerOptions, 'evmRpcUrl' | 'network' | 'host'>> {
  readonly documents?: (network: Network) => readonly SourceDocument[]
}

/** The tool servers on 127.0.0.1, assembled as in the service. Default: no EVM node, one document, mainnet. */
export async function runTools({
  documents = () => oneDocument,
  network = () => 'mainnet',
  ...options
}: RunToolsOptions = {}): Promise<RunningTools> {
  const metrics = new Metrics()
  const { port, close } = await startToolServers({
    log: pino({ level: 'silent' }),
    metrics,
    version: '0.0.0',
    host: '127.0.0.1',
    port: 0,
    closeGraceMs: 500,
    evmRpcUrl: undefined,
    network,
    library: libraryOf(network, documents),
    ...options,
  })
  const origin = `http://127.0.0.1:${port}`
  return { origin, scriptUrl: `${origin}/script/mcp`, evmUrl: `${origin}/evm/mcp`, metrics, stop: close }
}
