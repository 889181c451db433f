import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { WebSocketServer } from 'ws'
import { Metrics } from '../../../src/base/metrics.ts'
import { FeedClients } from '../../../src/live/feed-clients.ts'
import { LiveAudience } from '../../../src/live/live-audience.ts'
import { StatusFeed } from '../../../src/live/status-feed.ts'
import { madeUpReader } from './announcer.ts'

/**
 * The feeds alone, in a process of their own: blocks and the status are made up, sockets are real. Tells `{"port"}`; `{"from", "to"}` is
 * announced, and answered with how long the telling took and the longest time for which the event loop stood still meanwhile.
 */

/** The size of a real one. */
const statusBytes = 6000

const [transactions = 50, accounts = 1000] = process.argv.slice(2).map(Number)
const log = pino({ level: 'silent' })
const metrics = new Metrics()
const clients = new FeedClients({ name: 'live', metrics, log })
const audience = new LiveAudience({ clients, metrics, reader: madeUpReader(transactions, accounts), log, signal: new AbortController().signal })
await audience.start()
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
const server = createServer()
const statusFeed = new StatusFeed({
  clients: new FeedClients({ name: 'status', metrics, log }), log, intervalMs: 1000,
  status: () => Promise.resolve({ generated_at: new Date(), filler: 'x'.repeat(statusBytes) }),
})
server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, (opened) => {
  if (request.url === '/ws/status') statusFeed.add(opened, request)
  else audience.add(opened, request)
}))
const loop = monitorEventLoopDelay({ resolution: 5 })
loop.enable()
server.listen(0, '127.0.0.1', 10_000, () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', ({ from, to }: { from: number; to: number }) => {
  const begun = performance.now()
  if (to > from) audience.feed.announce(from, to)
  void audience.feed.idle().then(() => {
    process.send?.({ ms: performance.now() - begun, stillMs: loop.max / 1e6 })
    loop.reset()
  })
})
