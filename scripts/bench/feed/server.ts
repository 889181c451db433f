import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { AddressInfo, Socket } from 'node:net'
import { pino } from 'pino'
import { WebSocketServer } from 'ws'
import { Metrics } from '../../../src/platform/metrics.ts'
import { FeedClients } from '../../../src/explorer/feed/feed-clients.ts'
import { textFrame } from '../../../src/explorer/feed/frames.ts'
import { LiveAudience } from '../../../src/explorer/feed/live-audience.ts'
import { StatusFeed } from '../../../src/explorer/feed/status-feed.ts'
import { TimeSlices } from '../../../src/platform/time-slices.ts'
import { tellParent } from '../../support/tell-parent.ts'
import { madeUpReader } from './announcer.ts'
import type { Answer, Order } from './feed-process.ts'

/** The feeds alone, in a process of their own: blocks and the status are made up, sockets are real. */

/** The size of a real one. */
const statusBytes = 6000

const [transactions = 50, accounts = 1000] = process.argv.slice(2).map(Number)
const log = pino({ level: 'silent' })
const metrics = new Metrics()
const clients = new FeedClients({ name: 'live', metrics, log })
const audience = new LiveAudience({
  clients,
  metrics,
  reader: madeUpReader(transactions, accounts),
  log,
  signal: new AbortController().signal,
})
await audience.start()
const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
const server = createServer()
const statusFeed = new StatusFeed({
  clients: new FeedClients({ name: 'status', metrics, log }),
  log,
  intervalMs: 1000,
  status: () => Promise.resolve({ generated_at: new Date(), filler: 'x'.repeat(statusBytes) }),
})
const sockets = new Set<Socket>()
server.on('upgrade', (request, socket, head) =>
  webSockets.handleUpgrade(request, socket, head, (opened) => {
    sockets.add(request.socket)
    if (request.url === '/ws/status') statusFeed.add(opened, request)
    else audience.add(opened, request)
  }),
)
const loop = monitorEventLoopDelay({ resolution: 5 })
loop.enable()

/** What telling cannot do without: a write of ready bytes to each socket, in turns as the feed's. */
async function writeBare(bytes: number): Promise<void> {
  const turns = new TimeSlices()
  const frame = textFrame('x'.repeat(Math.max(0, bytes - 4)))
  for (const socket of sockets) {
    if (!turns.tryTake()) await turns.take()
    socket.write(frame)
  }
}

async function obey({ from, to, bareBytes }: Order): Promise<void> {
  if (bareBytes !== undefined) return writeBare(bareBytes)
  if (to > from) audience.feed.announce(from, to)
  await audience.feed.idle()
}

server.listen(0, '127.0.0.1', 10_000, () => tellParent({ port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit())
process.on('message', (order: Order) => {
  const begun = performance.now()
  void obey(order).then(() => {
    const bytesWritten = sockets.values().reduce((sum, socket) => sum + socket.bytesWritten, 0)
    tellParent({
      number: order.number,
      ms: performance.now() - begun,
      stillMs: loop.max / 1e6,
      bytesWritten,
    } satisfies Answer)
    loop.reset()
  })
})
