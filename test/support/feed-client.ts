import { EventEmitter, once } from 'node:events'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'

export interface FeedMessage {
  readonly type: string
  /** The cursor of the message, for subscribers. */
  readonly seq?: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** A feed client that records its messages. Batches are split. */
export class FeedClient {
  readonly socket: WebSocket
  readonly messages: FeedMessage[] = []
  /** The number of messages per frame. */
  readonly frames: number[] = []
  readonly #events = new EventEmitter()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data, isBinary) => {
      if (isBinary) throw new TypeError('feeds send text')
      const content = JSON.parse((data as Buffer).toString('utf8')) as FeedMessage | FeedMessage[]
      const messages = Array.isArray(content) ? content : [content]
      this.messages.push(...messages)
      this.frames.push(messages.length)
      this.#events.emit('message')
    })
  }

  /** Connects to `host:port/path`. Rejects if the connection is refused. */
  static async connect(target: string, options: ClientOptions = {}): Promise<FeedClient> {
    const client = new FeedClient(new WebSocket(`ws://${target}`, options))
    await once(client.socket, 'open')
    return client
  }

  say(message: unknown): void {
    this.socket.send(JSON.stringify(message))
  }

  /** Subscribes, and resolves with the response: `subscribed` or `error`. */
  async subscribe(filter: Readonly<Record<string, unknown>>): Promise<FeedMessage> {
    const before = this.messages.length
    this.say({ type: 'subscribe', id: 'test', ...filter })
    return this.find(({ type }) => type === 'subscribed' || type === 'error', before)
  }

  /** Resolves with the first message at or after index `start` that matches. */
  async find(isWanted: (message: FeedMessage) => boolean, start = 0): Promise<FeedMessage> {
    for (let i = start; ; i++) {
      await this.count(i + 1)
      const message = this.messages[i]
      if (message !== undefined && isWanted(message)) return message
    }
  }

  /** Chain messages, without responses and positions. */
  get updates(): FeedMessage[] {
    return this.messages.filter(({ type }) => ['new_block', 'new_transaction', 'rollback', 'gap'].includes(type))
  }

  /** Resolves when at least `count` messages have arrived. */
  async count(count: number): Promise<void> {
    while (this.messages.length < count) await once(this.#events, 'message')
  }

  /** Resolves with code and reason when the connection is closed. */
  async closed(): Promise<{ code: number; reason: string }> {
    const [code, reason] = (await once(this.socket, 'close')) as [number, Buffer]
    return { code, reason: String(reason) }
  }

  async close(): Promise<void> {
    const closed = this.closed()
    this.socket.close()
    await closed
  }
}
