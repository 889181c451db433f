import { pino } from 'pino'
import { scriptReference } from '../../../../src/assistant/mcp/script-reference.ts'
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

/** The tool servers on 127.0.0.1, assembled as in the service. Default: no EVM node, one document, mainnet. */
export async function runTools(
  options: Partial<Pick<ToolServerOptions, 'evmRpcUrl' | 'network' | 'documents' | 'host'>> = {},
): Promise<RunningTools> {
  const metrics = new Metrics()
  const { port, close } = await startToolServers({
    log: pino({ level: 'silent' }),
    metrics,
    version: '0.0.0',
    host: '127.0.0.1',
    port: 0,
    closeGraceMs: 500,
    evmRpcUrl: undefined,
    network: () => 'mainnet',
    documents: () => oneDocument,
    ...options,
  })
  const origin = `http://127.0.0.1:${port}`
  return { origin, scriptUrl: `${origin}/script/mcp`, evmUrl: `${origin}/evm/mcp`, metrics, stop: close }
}
