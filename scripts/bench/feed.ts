import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { accountOf } from './feed/announcer.ts'
import { CountingClient } from './feed/counting-client.ts'
import { cpuSeconds, peakMemoryMiB } from './process-usage.ts'

/**
 * `npm run bench:feed`: deliveries a second of the live feed, its processor time for each and its memory for each client. The feed
 * runs in a process of its own on made-up blocks and real sockets; the clients, in this process, count frames and read nothing,
 * on the same machine.
 */

const { values } = parseArgs({ options: {
  clients: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '5' }, transactions: { type: 'string', default: '120' },
} })
const clientCount = Number(values.clients)
const transactions = Number(values.transactions)

interface Scenario {
  readonly name: string
  /** What a client asks for; undefined: it says nothing. */
  readonly wish?: (client: number) => unknown
  /** Blocks that are announced together. Default 1; 0: the status is told every second, and no block. */
  readonly together?: number
  /** Of 100 clients, those that read nothing. */
  readonly stalled?: number
}

const accounts = 1000
/** The accounts of a filter, spread over all, so that one in `accounts / count` transactions fits. */
const manyAccounts = (client: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => accountOf((client + i * (accounts / count)) % accounts))

const scenarios: readonly Scenario[] = [
  { name: 'everything, nothing said' },
  { name: 'one of 10 accounts, each its own filter', wish: (client) => ({ addresses: manyAccounts(client, 10) }) },
  { name: 'the same, blocks come by 10', wish: (client) => ({ addresses: manyAccounts(client, 10) }), together: 10 },
  { name: 'one of 100 accounts, each its own filter', wish: (client) => ({ addresses: manyAccounts(client, 100) }) },
  { name: 'the same, 5 % of the clients stalled', wish: (client) => ({ addresses: manyAccounts(client, 100) }), stalled: 5 },
  { name: '/ws/status', together: 0 },
]

interface Result {
  readonly connectMiB: number
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly longestMs: number
  readonly stillMs: number
}

/** Resolves when no more comes. */
async function untilQuiet(count: () => number): Promise<void> {
  for (let seen = -1; seen < count(); await delay(100)) seen = count()
}

async function measure({ wish, stalled = 0, together = 1 }: Scenario): Promise<Result> {
  const server = fork(join(import.meta.dirname, 'feed/server.ts'), [String(transactions), String(accounts)])
  const [{ port }] = await once(server, 'message') as [{ port: number }]
  const pid = server.pid ?? 0
  const before = peakMemoryMiB(pid)
  let delivered = 0
  const clients: CountingClient[] = []
  for (let i = 0; i < clientCount; i += 100) {
    clients.push(...await Promise.all(Array.from({ length: Math.min(100, clientCount - i) }, () => CountingClient.open(port, together === 0 ? '/ws/status' : '/ws', (frames) => {
      delivered += frames
    }))))
  }
  if (wish !== undefined) {
    clients.forEach((client, i) => client.say({ type: 'subscribe', id: 1, filter: wish(i) }))
    await untilQuiet(() => delivered)
  }
  const connectMiB = peakMemoryMiB(pid) - before
  clients.forEach((client, i) => {
    if (i % 100 < stalled) client.stall()
  })
  // How the process stood still while clients came does not count.
  server.send({ from: 0, to: 0 })
  await once(server, 'message')
  delivered = 0
  const cpu = cpuSeconds(pid)
  const begun = performance.now()
  let longestMs = 0
  let longestStillMs = 0
  for (let height = 0; performance.now() - begun < Number(values.seconds) * 1000; height += together) {
    if (together === 0) await delay(1000)
    server.send({ from: height, to: height + together })
    const [{ ms, stillMs }] = await once(server, 'message') as [{ ms: number; stillMs: number }]
    longestMs = Math.max(longestMs, ms)
    longestStillMs = Math.max(longestStillMs, stillMs)
  }
  // What is still on its way is counted, with the time that it takes.
  await untilQuiet(() => delivered)
  const seconds = (performance.now() - begun) / 1000
  const cpuUsed = cpuSeconds(pid) - cpu
  for (const client of clients) client.destroy()
  server.kill('SIGKILL')
  await once(server, 'exit')
  return { connectMiB, perSecond: delivered / seconds, cpuMicroseconds: cpuUsed * 1e6 / delivered, longestMs, stillMs: longestStillMs }
}

process.stdout.write(`Live feed: ${clientCount} clients, ${transactions} transactions a block, blocks as fast as they are told\n` +
  `Node ${process.version}, ${availableParallelism()} cores, clients and feed on this machine\n\n` +
  `${''.padEnd(44)}deliveries/s   CPU µs each   KiB/client   longest telling, ms   still, ms\n`)
for (const scenario of scenarios) {
  const { connectMiB, perSecond, cpuMicroseconds, longestMs, stillMs } = await measure(scenario)
  process.stdout.write(scenario.name.padEnd(44) + Math.round(perSecond).toLocaleString('en').padStart(12) + cpuMicroseconds.toFixed(2).padStart(14) +
    (connectMiB * 1024 / clientCount).toFixed(1).padStart(13) + longestMs.toFixed(0).padStart(22) + stillMs.toFixed(0).padStart(12) + '\n')
}
