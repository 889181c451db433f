import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { WebSocketServer } from 'ws'
import { Metrics } from '../../src/platform/metrics.ts'
import type { BlockFeed, FeedReader } from '../../src/explorer/feed/block-feed.ts'
import { FeedClients } from '../../src/explorer/feed/feed-clients.ts'
import { LiveAudience } from '../../src/explorer/feed/live-audience.ts'
import type { LiveLimits } from '../../src/explorer/feed/live-audience.ts'
import { FeedClient } from './feed-client.ts'

/** The live feed alone, with real sockets, on a generated chain. */
export class LiveFeedServer {
  readonly metrics = new Metrics()
  readonly #audience: LiveAudience
  readonly #stopping = new AbortController()
  readonly #server = createServer()
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  private constructor(reader: FeedReader, limits: LiveLimits, networkOf?: (request: IncomingMessage) => string) {
    const log = pino({ level: 'silent' })
    const clients = new FeedClients({
      name: 'live',
      metrics: this.metrics,
      log,
      maxInboundMessages: 1000,
      ...(networkOf === undefined ? {} : { networkOf }),
    })
    this.#audience = new LiveAudience({
      clients,
      metrics: this.metrics,
      reader,
      log,
      signal: this.#stopping.signal,
      limits,
    })
    this.#server.on('upgrade', (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#audience.add(opened, request))
    })
  }

  /** @param networkOf the client network of a connection; default: that of its address */
  static async open(
    reader: FeedReader,
    limits: LiveLimits = {},
    networkOf?: (request: IncomingMessage) => string,
  ): Promise<LiveFeedServer> {
    const server = new LiveFeedServer(reader, limits, networkOf)
    await new Promise<void>((resolve) => {
      server.#server.listen(0, '127.0.0.1', resolve)
    })
    await server.#audience.start()
    return server
  }

  get feed(): BlockFeed {
    return this.#audience.feed
  }

  connect(): Promise<FeedClient> {
    return FeedClient.connect(`127.0.0.1:${(this.#server.address() as AddressInfo).port}`)
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#audience.stop()
    for (const client of this.#sockets.clients) client.terminate()
    await this.feed.idle()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }
}
