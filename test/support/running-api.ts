import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import { createPresentChain } from '../../src/explorer/present-chain.ts'
import type { PresentChainOptions } from '../../src/explorer/present-chain.ts'
import { createFeedReader } from '../../src/explorer/feed/reader.ts'
import { createEmbeds } from '../../src/explorer/embeds/embeds.ts'
import type { ExplorerPageOptions } from '../../src/explorer/page.ts'
import { createApiServer } from '../../src/explorer/server.ts'
import type { ApiServerOptions } from '../../src/explorer/server.ts'
import type { HttpServer } from '../../src/platform/http/server.ts'
import type { Network } from '../../src/flow/network.ts'
import { createStatusReader, statusSettings } from '../../src/explorer/status/queries.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { createLiveFeeds } from '../../src/explorer/feed/live-feeds.ts'
import type { LiveFeedsOptions } from '../../src/explorer/feed/live-feeds.ts'
import { quiet } from './chain-source.ts'
import { explorerPage } from './explorer-page.ts'

export interface RunningApi {
  readonly server: HttpServer
  readonly metrics: Metrics
  /** `127.0.0.1:<port>` */
  readonly host: string
  get(path: string, init?: RequestInit): Promise<Response>
  /** The body of a 200. */
  json<Body>(path: string): Promise<Body>
  stop(): Promise<void>
}

export interface RunOptions {
  readonly latestHeight?: () => number | undefined
  readonly server?: Partial<ApiServerOptions>
  /** Serves the explorer page, with link previews. */
  readonly page?: ExplorerPageOptions
  readonly live?: Partial<LiveFeedsOptions>
  /** Access nodes for current state. Default: an unreachable node. */
  readonly nodes?: readonly string[]
  readonly chain?: Partial<PresentChainOptions>
}

/** Nothing listens on port 1. */
const nobody = '127.0.0.1:1'

/** The API with its live feeds, on a port of 127.0.0.1, as the program runs it. */
export async function runApi(url: string, options: RunOptions = {}): Promise<RunningApi> {
  const log = pino({ level: 'silent' })
  const metrics = new Metrics()
  const [database, expensiveReads] = await Promise.all([createReadPool({ url }), createReadPool({ url })])
  const reader = createChainReader({ liveEndpoints: options.nodes ?? [nobody], log: quiet })
  const network = options.server?.network ?? ((): Network => 'mainnet')
  const status = createStatusReader({
    settings: statusSettings(readConfig({})),
    chainId: () => 'flow-mainnet',
    latestHeight: options.latestHeight ?? (() => undefined),
  })
  const live = createLiveFeeds({
    url,
    metrics,
    log,
    reader: createFeedReader(database, network),
    database,
    status: () => status(database, { includeRanges: false }),
    ...options.live,
  })
  await live.start()
  const server = await createApiServer({
    database,
    expensiveReads,
    metrics,
    log,
    host: '127.0.0.1',
    port: 0,
    network,
    status,
    maxReorgDepth: 1000,
    chain: createPresentChain({ reader, network, log, ...options.chain }),
    maxWebSocketsPerAddress: 100,
    feeds: live.feeds,
    checkResponses: true,
    closeGraceMs: 500,
    ...(options.page === undefined
      ? {}
      : { page: explorerPage({ embeds: createEmbeds({ database, network }, log), ...options.page }) }),
    ...options.server,
  }).catch(async (error: unknown) => {
    await live.stop()
    await reader.close()
    await Promise.all([database.end(), expensiveReads.end()])
    throw error
  })
  const host = `127.0.0.1:${server.port}`
  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(`http://${host}${path}`, init)
  return {
    server,
    metrics,
    host,
    get,
    json: async <Body>(path: string) => {
      const response = await get(path)
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as Body
    },
    stop: async () => {
      await server.close()
      await live.stop()
      await reader.close()
      await Promise.all([database.end(), expensiveReads.end()])
    },
  }
}
