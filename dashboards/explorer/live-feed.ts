import type { Block } from './answers.gen.ts'
import { fetchApi } from './api.ts'
import { formatNumber } from '../kit/formats.ts'

export type LiveBlock = Pick<Block, 'height' | 'id' | 'parent_id' | 'timestamp' | 'tx_count' | 'event_count'>

export interface LiveState {
  readonly link: 'connecting' | 'live' | 'broken'
  /** Until then, an empty list may be incomplete. */
  readonly isCaughtUp: boolean
  readonly blocks: readonly LiveBlock[]
}

const maxBlocks = 60
const firstRetryMs = 500
const maxRetryMs = 15_000

type Message = { readonly seq?: string } & (
  | { readonly type: 'new_block'; readonly payload: LiveBlock }
  | { readonly type: 'rollback'; readonly payload: { readonly from_height: number } }
  | { readonly type: 'error'; readonly payload: { readonly code: string } }
)

/**
 * Existing blocks come from the API, new ones and rollbacks from the WebSocket feed. A reconnect
 * resumes after the last message; after a long break the blocks are loaded again.
 *
 *     connecting ──open──► live ──closed──► broken ──delay──► connecting
 */
export class LiveFeed {
  #state: LiveState = { link: 'connecting', isCaughtUp: false, blocks: [] }
  readonly #listeners = new Set<() => void>()
  readonly #position = new FeedPosition()
  #socket: WebSocket | undefined
  #retryMs = firstRetryMs
  #catchUpMs = firstRetryMs
  #timer: ReturnType<typeof setTimeout> | undefined
  #abort: AbortController | undefined
  #catchUps = 0

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  readonly snapshot = (): LiveState => this.#state

  #start(): void {
    this.#abort = new AbortController()
    this.#connect()
  }

  #stop(): void {
    this.#abort?.abort()
    clearTimeout(this.#timer)
    this.#socket?.close()
    this.#socket = undefined
  }

  #connect(): void {
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`)
    this.#socket = socket
    socket.addEventListener('open', () => {
      this.#retryMs = firstRetryMs
      const wasNew = this.#position.isNew
      socket.send(JSON.stringify(this.#position.subscription(Date.now())))
      this.#set({ link: 'live' })
      if (this.#position.isNew && !wasNew) this.#clear()
      // Blocks between the response and the first message are in neither: read again.
      const isStale = this.#position.isNew && (this.#state.isCaughtUp || !wasNew)
      if (isStale || (!this.#state.isCaughtUp && this.#catchUps === 0)) void this.#catchUp()
    })
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.#receive(JSON.parse(data) as Message | readonly Message[])
    })
    socket.addEventListener('close', () => {
      this.#position.disconnected(Date.now())
      if (this.#socket !== socket) return
      this.#set({ link: 'broken' })
      this.#timer = setTimeout(() => this.#connect(), this.#retryMs)
      this.#retryMs = Math.min(maxRetryMs, this.#retryMs * 2)
    })
    if (!this.#state.isCaughtUp) void this.#catchUp()
  }

  #clear(): void {
    this.#set({ blocks: [], isCaughtUp: false })
  }

  async #catchUp(): Promise<void> {
    const signal = this.#abort?.signal
    if (signal === undefined) return
    this.#catchUps++
    try {
      this.#add((await fetchApi('/flow/block', { limit: maxBlocks }, signal)).data)
      this.#catchUpMs = firstRetryMs
      this.#set({ isCaughtUp: true })
    } catch (error) {
      if (signal.aborted) {
        if (error instanceof DOMException) return
        throw error
      }
      const isOpen = this.#socket?.readyState === WebSocket.OPEN
      this.#set({ link: isOpen ? 'live' : 'broken' })
      if (isOpen) this.#scheduleCatchUp(signal)
    } finally {
      this.#catchUps--
    }
  }

  #scheduleCatchUp(signal: AbortSignal): void {
    setTimeout(() => {
      if (!signal.aborted && !this.#state.isCaughtUp) void this.#catchUp()
    }, this.#catchUpMs)
    this.#catchUpMs = Math.min(maxRetryMs, this.#catchUpMs * 2)
  }

  #receive(received: Message | readonly Message[]): void {
    const messages = Array.isArray(received) ? (received as readonly Message[]) : [received as Message]
    const blocks: LiveBlock[] = []
    for (const message of messages) {
      this.#position.advance(message.seq)
      if (message.type === 'error') this.#restart()
      if (message.type === 'rollback') this.#rollBack(message.payload.from_height)
      if (message.type === 'new_block') blocks.push(message.payload)
    }
    if (blocks.length > 0) this.#add(blocks)
  }

  #restart(): void {
    this.#position.reset()
    this.#clear()
    this.#socket?.close()
  }

  #rollBack(from: number): void {
    this.#set({ blocks: this.#state.blocks.filter(({ height }) => height < from) })
  }

  #add(blocks: readonly LiveBlock[]): void {
    const byHeight = new Map([...this.#state.blocks, ...blocks].map((block) => [block.height, block]))
    this.#set({ blocks: [...byHeight.values()].toSorted((a, b) => b.height - a.height).slice(0, maxBlocks) })
  }

  #set(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

interface Subscription {
  readonly type: 'subscribe'
  readonly id: 'page'
  readonly batch: true
  readonly filter: { readonly types: readonly ('new_block' | 'rollback')[] }
  /** `seq` of the last received message. */
  readonly after?: string
}

/** After a longer break more blocks were missed than the page shows. */
const maxBreakMs = 30_000

export class FeedPosition {
  #last: string | undefined
  #disconnectedAt: number | undefined

  get isNew(): boolean {
    return this.#last === undefined
  }

  advance(seq: string | undefined): void {
    if (seq !== undefined) this.#last = seq
  }

  /** Also called for failed connection attempts. @param now ms */
  disconnected(now: number): void {
    this.#disconnectedAt ??= now
  }

  /** @param now ms */
  subscription(now: number): Subscription {
    if (this.#disconnectedAt !== undefined && now - this.#disconnectedAt > maxBreakMs) this.reset()
    this.#disconnectedAt = undefined
    const filter = { types: ['new_block', 'rollback'] as const }
    const position = this.#last === undefined ? {} : { after: this.#last }
    return { type: 'subscribe', id: 'page', batch: true, filter, ...position }
  }

  reset(): void {
    this.#last = undefined
  }
}

/** The median, so that one pause does not distort it. */
export function blockPace(blocks: readonly Pick<LiveBlock, 'height' | 'timestamp'>[]): string | undefined {
  const times = blocks.toSorted((a, b) => a.height - b.height)
  const gaps = times.slice(1).map(({ height, timestamp }, i) => {
    const before = times[i]
    return before === undefined
      ? 0
      : (Date.parse(timestamp) - Date.parse(before.timestamp)) / 1000 / (height - before.height)
  })
  const seconds = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]
  return seconds === undefined
    ? undefined
    : `one every ${seconds < 10 ? seconds.toFixed(1) : formatNumber(Math.round(seconds))} s`
}
