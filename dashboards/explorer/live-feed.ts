import type { Block, TransactionSummary } from './answers.gen.ts'
import { ask } from './api.ts'
import { isUserTransaction } from './transfer-summary.ts'
import { formatNumber } from '../kit/formats.ts'

/** A block as it is told of when it comes. */
export type LiveBlock = Pick<Block, 'height' | 'id' | 'parent_id' | 'timestamp' | 'tx_count' | 'event_count'>

export interface LiveState {
  readonly link: 'connecting' | 'live' | 'broken'
  /** Whether what was there before was asked for: until then nobody knows that there is nothing. */
  readonly isCaughtUp: boolean
  /** The newest first. */
  readonly blocks: readonly LiveBlock[]
  readonly transactions: readonly TransactionSummary[]
}

const keptBlocks = 60
const keptTransactions = 40
/** Most of a quiet chain's transactions are its own. */
const askedTransactions = 100
const firstRetryMs = 500
const longestRetryMs = 15_000

type Message = { readonly seq?: string } & (
  | { readonly type: 'new_block'; readonly payload: LiveBlock }
  | { readonly type: 'new_transaction'; readonly payload: TransactionSummary }
  | { readonly type: 'rollback'; readonly payload: { readonly from_height: number } }
  | { readonly type: 'error'; readonly payload: { readonly code: string } }
)

/** Keeps this many user and this many system transactions, so that neither crowds out the other. */
function newestOfEach(): (transaction: TransactionSummary) => boolean {
  const seen = { people: 0, chain: 0 }
  return (transaction) => seen[isUserTransaction(transaction) ? 'people' : 'chain']++ < keptTransactions
}

/**
 * The newest blocks and transactions. What is there is asked for, what comes is heard on the socket, and what came
 * while the socket was broken is told when it is back, so that nothing is missing in the middle, and nothing stays
 * that was taken back. After a long break it begins anew.
 *
 *     connecting ──open──► live ──closed──► broken ──after a pause──► connecting
 */
export class LiveFeed {
  #state: LiveState = { link: 'connecting', isCaughtUp: false, blocks: [], transactions: [] }
  readonly #listeners = new Set<() => void>()
  readonly #place = new LivePlace()
  #socket: WebSocket | undefined
  #retryMs = firstRetryMs
  #catchUpMs = firstRetryMs
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopping: AbortController | undefined
  /** Requests under way for what is there. */
  #catchUps = 0

  /** For useSyncExternalStore: it is connected while somebody listens. */
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
    this.#stopping = new AbortController()
    this.#connect()
  }

  #stop(): void {
    this.#stopping?.abort()
    clearTimeout(this.#timer)
    this.#socket?.close()
    this.#socket = undefined
  }

  #connect(): void {
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`)
    this.#socket = socket
    socket.addEventListener('open', () => {
      this.#retryMs = firstRetryMs
      const wasNew = this.#place.isNew
      socket.send(JSON.stringify(this.#place.greet(Date.now())))
      this.#set({ link: 'live' })
      if (this.#place.isNew && !wasNew) this.#clear()
      // Rows between the response and the first message of the feed are in neither: read them again.
      const isStale = this.#place.isNew && (this.#state.isCaughtUp || !wasNew)
      if (isStale || (!this.#state.isCaughtUp && this.#catchUps === 0)) void this.#catchUp()
    })
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.#hear(JSON.parse(data) as Message | readonly Message[])
    })
    socket.addEventListener('close', () => {
      this.#place.lose(Date.now())
      if (this.#socket !== socket) return
      this.#set({ link: 'broken' })
      this.#timer = setTimeout(() => this.#connect(), this.#retryMs)
      this.#retryMs = Math.min(longestRetryMs, this.#retryMs * 2)
    })
    // What is there may be seen even where the socket cannot be had.
    if (!this.#state.isCaughtUp) void this.#catchUp()
  }

  #clear(): void {
    this.#set({ blocks: [], transactions: [], isCaughtUp: false })
  }

  /** Loads the current state; retried while the socket is open, and after a reconnect. */
  async #catchUp(): Promise<void> {
    const signal = this.#stopping?.signal
    if (signal === undefined) return
    this.#catchUps++
    try {
      const [blocks, transactions] = await Promise.all([
        ask('/flow/block', { limit: keptBlocks }, signal),
        ask('/flow/transaction', { limit: askedTransactions }, signal),
      ])
      this.#add(blocks.data, transactions.data)
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
    this.#catchUpMs = Math.min(longestRetryMs, this.#catchUpMs * 2)
  }

  #hear(said: Message | readonly Message[]): void {
    const messages = Array.isArray(said) ? (said as readonly Message[]) : [said as Message]
    const blocks: LiveBlock[] = []
    const transactions: TransactionSummary[] = []
    for (const message of messages) {
      this.#place.hear(message.seq)
      if (message.type === 'error') this.#startOver()
      if (message.type === 'rollback') this.#takeBack(message.payload.from_height)
      if (message.type === 'new_block') blocks.push(message.payload)
      if (message.type === 'new_transaction') transactions.push(message.payload)
    }
    if (blocks.length + transactions.length > 0) this.#add(blocks, transactions)
  }

  /** The feed does not go on from this place. */
  #startOver(): void {
    this.#place.forget()
    this.#clear()
    this.#socket?.close()
  }

  #takeBack(from: number): void {
    this.#set({
      blocks: this.#state.blocks.filter(({ height }) => height < from),
      transactions: this.#state.transactions.filter(({ block_height: height }) => height < from),
    })
  }

  #add(blocks: readonly LiveBlock[], transactions: readonly TransactionSummary[]): void {
    const byHeight = new Map([...this.#state.blocks, ...blocks].map((block) => [block.height, block]))
    const known = new Set(this.#state.transactions.map(({ id }) => id))
    const fresh = transactions.filter(({ id }) => !known.has(id))
    this.#set({
      blocks: [...byHeight.values()].toSorted((a, b) => b.height - a.height).slice(0, keptBlocks),
      transactions: [...fresh.toReversed(), ...this.#state.transactions]
        .toSorted((a, b) => b.block_height - a.block_height)
        .filter(newestOfEach()),
    })
  }

  #set(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** What the page asks of the feed when it is connected. */
interface Greeting {
  readonly type: 'subscribe'
  readonly id: 'page'
  readonly batch: true
  /** The last message that the page has. */
  readonly after?: string
}

/** After a longer break the page begins anew: what was missed is more than it shows. */
const longestBreakMs = 30_000

/** Where the page is in the feed, so that it goes on after a break without a gap. */
export class LivePlace {
  #mark: string | undefined
  #lostAt: number | undefined

  /** Whether it has to ask for what is there: it cannot go on from anywhere. */
  get isNew(): boolean {
    return this.#mark === undefined
  }

  /** A message came; only those of the chain have a mark. */
  hear(mark: string | undefined): void {
    if (mark !== undefined) this.#mark = mark
  }

  /** The connection is lost, or could not be had. @param now in milliseconds */
  lose(now: number): void {
    this.#lostAt ??= now
  }

  /** The connection is there. @param now in milliseconds */
  greet(now: number): Greeting {
    if (this.#lostAt !== undefined && now - this.#lostAt > longestBreakMs) this.forget()
    this.#lostAt = undefined
    return { type: 'subscribe', id: 'page', batch: true, ...(this.#mark === undefined ? {} : { after: this.#mark }) }
  }

  /** The feed does not go back so far. */
  forget(): void {
    this.#mark = undefined
  }
}

/** Median interval between the listed blocks, so that one pause does not distort it. */
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
    : `a new one every ${seconds < 10 ? seconds.toFixed(1) : formatNumber(Math.round(seconds))} s`
}
