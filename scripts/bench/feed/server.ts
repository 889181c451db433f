import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { WebSocketServer } from 'ws'
import { Metrics } from '../../../src/base/metrics.ts'
import { FeedClients } from '../../../src/live/feed-clients.ts'
import { LiveAudience } from '../../../src/live/live-audience.ts'
import { madeUpReader } from './announcer.ts'

/** The feed alone, in a process of its own: blocks are made up, sockets are real. Tells `{"port"}`; a line `<from> <to>` is announced. */

const [transactions = 50, accounts = 1000] = process.argv.slice(2).map(Number)
const log = pino({ level: 'silent' })
const metrics = new Metrics()
const clients = new FeedClients({ name: 'live', metrics, log })
const audience = new LiveAudience({ clients, metrics, reader: madeUpReader(transactions, accounts), log, signal: new AbortController().signal })
await audience.start()
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
const server = createServer()
server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, (opened) => audience.add(opened, request)))
server.listen(0, '127.0.0.1', 10_000, () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', ({ from, to }: { from: number; to: number }) => {
  const begun = performance.now()
  audience.feed.announce(from, to)
  void audience.feed.idle().then(() => process.send?.({ told: to, ms: performance.now() - begun }))
})
