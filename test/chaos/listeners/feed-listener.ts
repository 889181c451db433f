import { WebSocket } from 'ws'
import { pause } from '../../../src/platform/retry.ts'
import type { FeedMessage } from '../../support/feed-client.ts'
import { ClientChain } from '../../support/client-chain.ts'
import type { Findings } from '../report/findings.ts'

const firstPauseMs = 50
const maxPauseMs = 1000

/**
 * A correct client of the live feed: stores the cursor of the last message and resumes from it
 * after each disconnect. Duplicate, misordered or missing messages are violations.
 */
export class FeedListener {
  readonly seen = new ClientChain()
  readonly #url: string
  readonly #findings: Findings
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  #socket: WebSocket | undefined
  #isConfused = false
  #connections = 0

  constructor(url: string, findings: Findings) {
    this.#url = url
    this.#findings = findings
  }

  get connections(): number {
    return this.#connections
  }

  start(): void {
    this.#running = this.#listen()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#socket?.terminate()
    await this.#running
  }

  async #listen(): Promise<void> {
    for (let failures = 0; !this.#stop.signal.aborted;) {
      const hasReceived = await this.#connect()
      failures = hasReceived ? 0 : failures + 1
      await pause(Math.min(maxPauseMs, firstPauseMs * 2 ** failures))
    }
  }

  /** One connection from start to end. @returns whether the server accepted it */
  async #connect(): Promise<boolean> {
    const socket = new WebSocket(this.#url, { handshakeTimeout: 5000 })
    this.#socket = socket
    let wasOpen = false
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    socket.on('open', () => {
      wasOpen = true
      this.#connections++
      const { mark } = this.seen
      socket.send(JSON.stringify({ type: 'subscribe', id: 'chaos', ...(mark === undefined ? {} : { after: mark }) }))
    })
    socket.on('message', (data) => this.#accept(JSON.parse((data as Buffer).toString('utf8')) as FeedMessage))
    // The close event reports the same.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    await closed
    return wasOpen
  }

  #accept(message: FeedMessage): void {
    if (this.#isConfused) return
    if (message.type === 'error' || message.type === 'gap') {
      this.#complain(`the feed sent ${JSON.stringify(message)} after ${this.seen.mark}`)
    } else {
      try {
        this.seen.accept(message)
      } catch (error) {
        this.#complain(`${String(error)}; the message was ${JSON.stringify(message).slice(0, 300)}`)
      }
    }
  }

  /** After the first violation, later ones would be repetitions. */
  #complain(text: string): void {
    this.#isConfused = true
    this.#findings.add('feed', text)
  }
}
