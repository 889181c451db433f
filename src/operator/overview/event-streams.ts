import type { ServerResponse } from 'node:http'
import { ApiError } from '../../platform/errors.ts'
import type { Overview } from './overview.ts'
import type { OverviewFeed } from './overview-feed.ts'

/** Streams that may be open at once. */
const maxStreams = 100

/** Silence longer than this, ms, would let a proxy take the connection for dead. */
const keepAliveMs = 15_000

/** Open streams of server-sent events, each of which tells the overview at once and then whenever it changes. */
export class EventStreams {
  readonly #feed: OverviewFeed
  readonly #open = new Set<() => void>()
  #isClosed = false

  constructor(feed: OverviewFeed) {
    this.#feed = feed
  }

  /**
   * Answers with a stream that lasts until the client goes, the server stops, or `until` (milliseconds since 1970)
   * has come; the latter two it announces with `event: bye`. A client that is too slow misses states, not the newest.
   * @throws ApiError 429 `too-many-streams`, 503 `stopping`
   */
  async serve(response: ServerResponse, until = Infinity): Promise<void> {
    if (this.#open.size >= maxStreams) {
      throw new ApiError(429, 'too-many-streams', `${maxStreams} pages are being told already; close one.`)
    }
    const { overview: first } = await this.#feed.current()
    if (this.#isClosed) throw new ApiError(503, 'stopping', 'The server is stopping; ask again in a moment.')
    if (response.destroyed) return
    let waiting: Overview | undefined
    const end = (): void => {
      if (!response.writableEnded) response.end('event: bye\ndata: {}\n\n')
    }
    const write = (text: string): void => {
      if (Date.now() >= until) end()
      else if (!response.writableEnded && !response.destroyed) response.write(text)
    }
    const tell = (overview: Overview): void => {
      waiting = response.writableNeedDrain ? overview : undefined
      if (waiting === undefined) write(`event: overview\ndata: ${JSON.stringify(overview)}\n\n`)
    }
    response.on('drain', () => waiting !== undefined && tell(waiting))
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    response.once('close', resolve)
    this.#open.add(end)
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
    const keepAlive = setInterval(() => !response.writableNeedDrain && write(': still here\n\n'), keepAliveMs)
    tell(first)
    const unlisten = this.#feed.listen(tell)
    await closed
    unlisten()
    clearInterval(keepAlive)
    this.#open.delete(end)
  }

  /** Says goodbye to all and takes no more. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#open) end()
  }
}
