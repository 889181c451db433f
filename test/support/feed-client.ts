import { EventEmitter, once } from 'node:events'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'

export interface FeedMessage {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** A client of a feed that keeps what it hears. */
export class FeedClient {
  readonly socket: WebSocket
  readonly messages: FeedMessage[] = []
  readonly #heard = new EventEmitter()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data, isBinary) => {
      if (isBinary) throw new TypeError('feeds send text')
      this.messages.push(JSON.parse((data as Buffer).toString('utf8')) as FeedMessage)
      this.#heard.emit('message')
    })
  }

  /** Connects to `host:port/path`; rejects when that is refused. */
  static async connect(target: string, options: ClientOptions = {}): Promise<FeedClient> {
    const client = new FeedClient(new WebSocket(`ws://${target}`, options))
    await once(client.socket, 'open')
    return client
  }

  /** Resolves when at least `count` messages have come. */
  async count(count: number): Promise<void> {
    while (this.messages.length < count) await once(this.#heard, 'message')
  }

  /** Resolves with code and reason when the connection is closed. */
  async closed(): Promise<{ code: number; reason: string }> {
    const [code, reason] = await once(this.socket, 'close') as [number, Buffer]
    return { code, reason: String(reason) }
  }

  async close(): Promise<void> {
    const closed = this.closed()
    this.socket.close()
    await closed
  }
}
