import { setTimeout as delay } from 'node:timers/promises'
import { accountOf } from './announcer.ts'
import { CountingClient } from './counting-client.ts'
import { FeedProcess } from './feed-process.ts'

/** How large a measure of the feed is. */
interface FeedLoad {
  readonly clients: number
  /** For which blocks are told. */
  readonly seconds: number
  /** Of each block. */
  readonly transactions: number
}

interface FeedScenario {
  readonly name: string
  /** What a client asks for; undefined: it says nothing. */
  readonly wish?: (client: number) => unknown
  /** Blocks that are announced together. Default 1; 0: the status is told every second, and no block. */
  readonly together?: number
  /** From one announcement to the next, whether it is told or not. Default: the next comes when the one before is told. */
  readonly everyMs?: (load: FeedLoad) => number
  /** Of 100 clients, those that read nothing. */
  readonly stalled?: number
  /** Whether each client gets each block in one write. */
  readonly isOneWriteEach?: boolean
}

const accounts = 1000
/**
 * The accounts of a filter, spread over all, so that one in `accounts / count` transactions fits, and one that nobody else asks for and
 * that never takes part.
 */
const manyAccounts = (client: number, count: number): string[] => [
  ...Array.from({ length: count }, (_, i) => accountOf((client + i * (accounts / count)) % accounts)),
  accountOf(accounts + client),
]

const oneOfTen = (client: number): unknown => ({ addresses: manyAccounts(client, 10) })
const oneOfHundred = (client: number): unknown => ({ addresses: manyAccounts(client, 100) })
/** Of a block, one of ten accounts has this many messages. */
const messagesOfTen = (transactions: number): number => (transactions * 10) / accounts

/** A tenth more than the 150,000 that are to be delivered: so what is on its way in the end does not decide. */
export const offeredPace = 'the same, 165,000 messages/s come'

/** Each name once. */
export const feedScenarios: readonly FeedScenario[] = [
  { name: 'everything, nothing said', isOneWriteEach: true },
  { name: 'one of 10 accounts, each its own filter', wish: oneOfTen, isOneWriteEach: true },
  { name: 'the same, blocks come by 10', wish: oneOfTen, together: 10 },
  {
    name: offeredPace,
    wish: oneOfTen,
    everyMs: ({ clients, transactions }) => (clients * messagesOfTen(transactions)) / 165,
  },
  { name: 'one of 100 accounts, each its own filter', wish: oneOfHundred, isOneWriteEach: true },
  { name: 'the same, 5 % of the clients stalled', wish: oneOfHundred, stalled: 5 },
  { name: '/ws/status', together: 0 },
]

/** How it went while messages were delivered. */
interface FeedStretch {
  readonly deliveries: number
  readonly perSecond: number
  readonly cpuSeconds: number
  readonly bytes: number
  readonly longestMs: number
  readonly stillMs: number
}

/** @param deliver tells something, and resolves with how that went */
async function stretch(
  feed: FeedProcess,
  crowd: Crowd,
  deliver: () => Promise<{ ms: number; stillMs: number; lastAt?: number | undefined }>,
): Promise<FeedStretch> {
  // How the process stood still before does not count.
  const { bytesWritten } = await feed.tell(0, 0)
  crowd.delivered = 0
  const cpu = feed.cpuSeconds
  const begun = performance.now()
  const { ms, stillMs, lastAt } = await deliver()
  // What is still on its way is counted, with the time that it takes.
  await crowd.untilQuiet()
  const seconds = ((lastAt ?? performance.now()) - begun) / 1000
  const cpuSeconds = feed.cpuSeconds - cpu
  const bytes = (await feed.tell(0, 0)).bytesWritten - bytesWritten
  return {
    deliveries: crowd.delivered,
    perSecond: crowd.delivered / seconds,
    cpuSeconds,
    bytes,
    longestMs: ms,
    stillMs,
  }
}

interface FeedResult {
  readonly connectMiB: number
  readonly told: FeedStretch
  /** The same without the feed, and how many blocks that were. */
  readonly bare?: FeedStretch
  readonly blocks: number
}

export async function measureFeed(
  { wish, stalled = 0, together = 1, everyMs, isOneWriteEach = false }: FeedScenario,
  load: FeedLoad,
): Promise<FeedResult> {
  const feed = await FeedProcess.start(load.transactions, accounts)
  const crowd = new Crowd()
  const before = feed.peakMemoryMiB
  await crowd.come(load.clients, feed.port, together === 0 ? '/ws/status' : '/ws')
  if (wish !== undefined) await crowd.subscribe(wish)
  const connectMiB = feed.peakMemoryMiB - before
  crowd.stall(stalled)
  let height = 0
  const told = await stretch(feed, crowd, async () => {
    const arrivals = crowd.time(load.clients * messagesOfTen(load.transactions))
    const announced: number[] = []
    const begun = performance.now()
    const worst = { ms: 0, stillMs: 0 }
    const note = ({ ms, stillMs }: { ms: number; stillMs: number }): void => {
      worst.ms = Math.max(worst.ms, ms)
      worst.stillMs = Math.max(worst.stillMs, stillMs)
    }
    const [telling, pauseMs]: [Promise<void>[], number | undefined] = [[], everyMs?.(load)]
    for (let i = 1; performance.now() - begun < load.seconds * 1000; i++) {
      if (together === 0) await delay(1000)
      announced.push(performance.now())
      const one = feed.tell(height, (height += together)).then(note)
      telling.push(one)
      if (pauseMs === undefined) await one
      else await delay(Math.max(0, begun + i * pauseMs - performance.now()))
    }
    await Promise.all(telling)
    if (pauseMs === undefined) return worst
    // The next blocks are announced while one is told: what counts is when its last message arrives.
    await crowd.untilQuiet()
    return {
      ...worst,
      ms: Math.max(...announced.map((at, i) => (arrivals[i] ?? Number.NaN) - at)),
      lastAt: arrivals.at(-1),
    }
  })
  const result = { connectMiB, told, blocks: height }
  if (!isOneWriteEach) return await ended(result)
  const bytes = Math.round(told.bytes / (height * load.clients))
  const bare = await stretch(feed, crowd, async () => {
    for (let i = 0; i < height; i++) await feed.writeBare(bytes)
    return { ms: 0, stillMs: 0 }
  })
  return await ended({ ...result, bare })

  async function ended(result: FeedResult): Promise<FeedResult> {
    crowd.go()
    await feed.end()
    return result
  }
}

/** Many clients, and how many messages they got. */
class Crowd {
  delivered = 0
  readonly #clients: CountingClient[] = []
  /** When each so many were delivered, by `performance.now()`. */
  #timed: { readonly every: number; readonly at: number[] } | undefined

  /** Connects some more. */
  async come(count: number, port: number, path: string): Promise<void> {
    for (let i = 0; i < count; i += 100) {
      const some = Array.from({ length: Math.min(100, count - i) }, () =>
        CountingClient.open(port, path, (frames) => {
          this.delivered += frames
          this.#time()
        }),
      )
      this.#clients.push(...(await Promise.all(some)))
    }
  }

  /** Each subscribes; resolves when all are answered. */
  async subscribe(wish: (client: number) => unknown): Promise<void> {
    this.#clients.forEach((client, i) => client.say({ type: 'subscribe', id: 1, filter: wish(i) }))
    await this.untilQuiet()
  }

  /** So many of each hundred read no more. */
  stall(ofHundred: number): void {
    this.#clients.forEach((client, i) => {
      if (i % 100 < ofHundred) client.stall()
    })
  }

  /** From now on notes when each so many messages are delivered. @returns the times, which go on to be added to */
  time(every: number): readonly number[] {
    this.#timed = { every, at: [] }
    return this.#timed.at
  }

  #time(): void {
    if (this.#timed === undefined) return
    const { every, at } = this.#timed
    while (this.delivered >= (at.length + 1) * every) at.push(performance.now())
  }

  /** Resolves when no more comes. */
  async untilQuiet(): Promise<void> {
    for (let seen = -1; seen < this.delivered; await delay(100)) seen = this.delivered
  }

  go(): void {
    for (const client of this.#clients) client.destroy()
  }
}
