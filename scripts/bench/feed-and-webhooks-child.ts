import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pino } from 'pino'
import { WebSocketServer } from 'ws'
import type { FeedReader } from '../../src/explorer/feed/block-feed.ts'
import { FeedClients, textFrame } from '../../src/explorer/feed/feed-clients.ts'
import { LiveAudience } from '../../src/explorer/feed/live-audience.ts'
import type { FeedBlock } from '../../src/explorer/feed/reader.ts'
import { connectionLimits, createPool } from '../../src/platform/db/pool.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { TimeSlices } from '../../src/explorer/feed/time-slices.ts'
import { WebhookService } from '../../src/webhooks/service.ts'
import { sendToParent } from './process-usage.ts'

/** Child processes: `feed <transactions per block> <accounts>`, `receiver`, `sender <database>`. */

export interface Order {
  readonly number: number
  readonly from: number
  readonly to: number
  readonly bareBytes?: number
}

export interface OrderDone {
  readonly number: number
  readonly bytesWritten: number
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

export const accountOf = (number: number): string => `0x${hex(number, 16)}`

/** Payers rotate, so that filters match evenly. */
function madeUpReader(transactionsPerBlock: number, accounts: number): FeedReader {
  const block = (height: number): FeedBlock => ({
    block: {
      height,
      id: hex(height, 64),
      parent_id: hex(height - 1, 64),
      timestamp: '2025-07-01T12:00:00.250Z',
      tx_count: transactionsPerBlock,
      event_count: transactionsPerBlock * 9,
    },
    transactions: Array.from({ length: transactionsPerBlock }, (_, i) => {
      const payer = accountOf((height * transactionsPerBlock + i) % accounts)
      return {
        summary: {
          id: hex(height * 1000 + i, 64),
          block_height: height,
          status: 'SEALED',
          payer_address: payer.slice(2),
          proposer_address: payer.slice(2),
          timestamp: '2025-07-01T12:00:00.250Z',
          execution_status: 'SUCCESS',
          is_evm: false,
          script_hash: hex(i, 64),
          template_category: 'FT_TRANSFER',
          template_label: '',
          tags: ['FT_TRANSFER'],
          error_message: '',
        },
        accounts: [payer],
        contracts: ['A.1654653399040a61.FlowToken'],
      }
    }),
  })
  return {
    read: (from, to) => Promise.resolve(Array.from({ length: to - from }, (_, i) => block(from + i))),
    ids: (from, to) =>
      Promise.resolve(new Map(Array.from({ length: to - from }, (_, i) => [from + i, hex(from + i, 64)]))),
    head: () => Promise.resolve(0),
  }
}

async function serveFeed(transactions: number, accounts: number): Promise<void> {
  const log = pino({ level: 'silent' })
  const metrics = new Metrics()
  const audience = new LiveAudience({
    clients: new FeedClients({ name: 'live', metrics, log }),
    metrics,
    reader: madeUpReader(transactions, accounts),
    log,
    signal: new AbortController().signal,
  })
  await audience.start()
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  const sockets = new Set<Socket>()
  const server = createServer().on('upgrade', (request, socket, head) =>
    webSockets.handleUpgrade(request, socket, head, (opened) => {
      sockets.add(request.socket)
      audience.add(opened, request)
    }),
  )
  const obey = async ({ from, to, bareBytes }: Order): Promise<void> => {
    if (bareBytes !== undefined) return writeBare(sockets, bareBytes)
    if (to > from) audience.feed.announce(from, to)
    await audience.feed.idle()
  }
  process.on('message', (order: Order) => {
    void obey(order).then(() => {
      const bytesWritten = sockets.values().reduce((sum, socket) => sum + socket.bytesWritten, 0)
      sendToParent({ number: order.number, bytesWritten } satisfies OrderDone)
    })
  })
  server.listen(0, '127.0.0.1', 10_000, () => sendToParent({ port: (server.address() as AddressInfo).port }))
}

async function writeBare(sockets: ReadonlySet<Socket>, bytes: number): Promise<void> {
  const slices = new TimeSlices()
  const frame = textFrame('x'.repeat(Math.max(0, bytes - 4)))
  for (const socket of sockets) {
    if (!slices.tryTake()) await slices.take()
    socket.write(frame)
  }
}

function receiveWebhooks(): void {
  let deliveries: [id: string, height: number, at: number][] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        response.writeHead(204).end()
        const height = Number(/"block_height":(\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1])
        deliveries.push([String(request.headers['webhook-id']), height, Date.now()])
      })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => sendToParent({ port: (server.address() as AddressInfo).port }))
  setInterval(() => {
    if (deliveries.length > 0) sendToParent({ deliveries })
    deliveries = []
  }, 20)
}

function sendWebhooks(databaseUrl: string): () => Promise<void> {
  const pool = createPool(databaseUrl, { ...connectionLimits, max: 8, applicationName: 'bench webhooks' })
  const service = new WebhookService({
    databaseUrl,
    pool,
    log: pino({ level: 'warn' }),
    allowedNetworks: ['127.0.0.0/8'],
    relay: undefined,
    concurrency: 500,
    timeoutMs: 10_000,
    retry: { maxTries: 12, baseMs: 5000, capMs: 60_000, pauseAfter: 50 },
  })
  service.start()
  sendToParent('started')
  return async () => {
    await service.stop()
    await pool.end()
  }
}

if (process.send !== undefined && import.meta.main) {
  const [role, first = '', second = ''] = process.argv.slice(2)
  let stop = (): Promise<void> => Promise.resolve()
  if (role === 'feed') await serveFeed(Number(first), Number(second))
  else if (role === 'receiver') receiveWebhooks()
  else stop = sendWebhooks(first)
  process.once('disconnect', () => void stop().then(() => process.exit()))
}
