import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { accountOf } from './feed/announcer.ts'
import { Crowd } from './feed/crowd.ts'
import { FeedProcess } from './feed/feed-process.ts'

/**
 * `npm run bench:feed`: deliveries a second of the live feed, its processor time for each and its memory for each client. The feed
 * runs in a process of its own on made-up blocks and real sockets; the clients, in this process, count frames and read nothing,
 * on the same machine. Where each block is one write for each client, as many writes of as many bytes are measured right after it without the
 * feed: what no feed can do without.
 */

const { values } = parseArgs({ options: {
  clients: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '5' }, transactions: { type: 'string', default: '120' },
  only: { type: 'string' },
} })
const clientCount = Number(values.clients)
const transactions = Number(values.transactions)

interface Scenario {
  readonly name: string
  /** What a client asks for; undefined: it says nothing. */
  readonly wish?: (client: number) => unknown
  /** Blocks that are announced together. Default 1; 0: the status is told every second, and no block. */
  readonly together?: number
  /** From one announcement to the next, whether it is told or not. Default: the next comes when the one before is told. */
  readonly everyMs?: number
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
const manyAccounts = (client: number, count: number): string[] =>
  [...Array.from({ length: count }, (_, i) => accountOf((client + i * (accounts / count)) % accounts)), accountOf(accounts + client)]

const oneOfTen = (client: number): unknown => ({ addresses: manyAccounts(client, 10) })
const oneOfHundred = (client: number): unknown => ({ addresses: manyAccounts(client, 100) })
/** Of a block, one of ten accounts has this many messages. */
const messagesOfTen = transactions * 10 / accounts

const scenarios: readonly Scenario[] = [
  { name: 'everything, nothing said', isOneWriteEach: true },
  { name: 'one of 10 accounts, each its own filter', wish: oneOfTen, isOneWriteEach: true },
  { name: 'the same, blocks come by 10', wish: oneOfTen, together: 10 },
  { name: 'the same, 150,000 messages/s come', wish: oneOfTen, everyMs: clientCount * messagesOfTen / 150 },
  { name: 'one of 100 accounts, each its own filter', wish: oneOfHundred, isOneWriteEach: true },
  { name: 'the same, 5 % of the clients stalled', wish: oneOfHundred, stalled: 5 },
  { name: '/ws/status', together: 0 },
]

/** How it went while messages were delivered. */
interface Stretch {
  readonly deliveries: number
  readonly perSecond: number
  readonly cpuSeconds: number
  readonly bytes: number
  readonly longestMs: number
  readonly stillMs: number
}

/** @param deliver tells something, and resolves with how that went */
async function stretch(feed: FeedProcess, crowd: Crowd, deliver: (() => Promise<{ ms: number; stillMs: number }>)): Promise<Stretch> {
  // How the process stood still before does not count.
  const { bytesWritten } = await feed.tell(0, 0)
  crowd.delivered = 0
  const cpu = feed.cpuSeconds
  const begun = performance.now()
  const { ms, stillMs } = await deliver()
  // What is still on its way is counted, with the time that it takes.
  await crowd.untilQuiet()
  const seconds = (performance.now() - begun) / 1000
  const cpuSeconds = feed.cpuSeconds - cpu
  const bytes = (await feed.tell(0, 0)).bytesWritten - bytesWritten
  return { deliveries: crowd.delivered, perSecond: crowd.delivered / seconds, cpuSeconds, bytes, longestMs: ms, stillMs }
}

interface Result {
  readonly connectMiB: number
  readonly told: Stretch
  /** The same without the feed, and how many blocks that were. */
  readonly bare?: Stretch
  readonly blocks: number
}

async function measure({ wish, stalled = 0, together = 1, everyMs, isOneWriteEach = false }: Scenario): Promise<Result> {
  const feed = await FeedProcess.start(transactions, accounts)
  const crowd = new Crowd()
  const before = feed.peakMemoryMiB
  await crowd.come(clientCount, feed.port, together === 0 ? '/ws/status' : '/ws')
  if (wish !== undefined) await crowd.subscribe(wish)
  const connectMiB = feed.peakMemoryMiB - before
  crowd.stall(stalled)
  let height = 0
  const told = await stretch(feed, crowd, async () => {
    const begun = performance.now()
    const worst = { ms: 0, stillMs: 0 }
    const note = ({ ms, stillMs }: { ms: number; stillMs: number }): void => {
      worst.ms = Math.max(worst.ms, ms)
      worst.stillMs = Math.max(worst.stillMs, stillMs)
    }
    const telling = []
    for (let i = 1; performance.now() - begun < Number(values.seconds) * 1000; i++) {
      if (together === 0) await delay(1000)
      const one = feed.tell(height, height += together).then(note)
      telling.push(one)
      if (everyMs === undefined) await one
      else await delay(Math.max(0, begun + i * everyMs - performance.now()))
    }
    await Promise.all(telling)
    return worst
  })
  const result = { connectMiB, told, blocks: height }
  if (!isOneWriteEach) return await ended(result)
  const bytes = Math.round(told.bytes / (height * clientCount))
  const bare = await stretch(feed, crowd, async () => {
    for (let i = 0; i < height; i++) await feed.writeBare(bytes)
    return { ms: 0, stillMs: 0 }
  })
  return await ended({ ...result, bare })

  async function ended(result: Result): Promise<Result> {
    crowd.go()
    await feed.end()
    return result
  }
}

const columns = ['deliveries/s', 'CPU µs each', 'KiB/client', 'longest telling, ms', 'still, ms', 'CPU µs a write', 'bare', 'ratio']
const line = (name: string, cells: readonly string[]): string => name.padEnd(44) + cells.map((cell, i) => cell.padStart((columns[i]?.length ?? 0) + 3)).join('') + '\n'

process.stdout.write(`Live feed: ${clientCount} clients, ${transactions} transactions a block, blocks as fast as they are told\n` +
  `Node ${process.version}, ${availableParallelism()} cores, clients and feed on this machine\n\n${line('', columns)}`)
for (const scenario of scenarios) {
  if (values.only !== undefined && !scenario.name.includes(values.only)) continue
  const { connectMiB, told, bare, blocks } = await measure(scenario)
  const perWrite = (cpuSeconds: number): number => cpuSeconds * 1e6 / (blocks * clientCount)
  process.stdout.write(line(scenario.name, [
    Math.round(told.perSecond).toLocaleString('en'), (told.cpuSeconds * 1e6 / told.deliveries).toFixed(2), (connectMiB * 1024 / clientCount).toFixed(1),
    told.longestMs.toFixed(0), told.stillMs.toFixed(0),
    ...(bare === undefined ? [] : [perWrite(told.cpuSeconds), perWrite(bare.cpuSeconds), told.cpuSeconds / bare.cpuSeconds].map((value) => value.toFixed(2))),
  ]))
}
