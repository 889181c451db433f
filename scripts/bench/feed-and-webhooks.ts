import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { exitCodes } from '../../src/platform/errors.ts'
import { webhookStores } from '../../src/webhooks/webhook-stores.ts'
import { endChild, forkReady, openBenchDatabase } from './bench-programs.ts'
import { accountOf } from './feed-and-webhooks-child.ts'
import type { Order, OrderDone } from './feed-and-webhooks-child.ts'
import { cpuSeconds, treeCpuSeconds } from './process-usage.ts'
import { median, printConditions, quantile, Sheet } from './sheet.ts'

export interface FeedAndWebhooksOptions {
  readonly clients: number
  readonly deliveries: number
  readonly seconds: number
}

const childFile = 'feed-and-webhooks-child.ts'

export async function feedAndWebhooks(options: FeedAndWebhooksOptions): Promise<number> {
  const sheet = new Sheet()
  await printConditions()
  sheet.heading(`Feed: blocks of ${transactions} transactions to ${options.clients} clients, ${options.seconds} s each`)
  for (const scenario of feedScenarios) await measureFeed(sheet, scenario, options)
  sheet.heading('Webhooks: one process that signs and sends deliveries, 100 subscriptions')
  const bare = await measureBarePosts(options.deliveries, 100)
  const backlog = await measureWebhooks({ events: 10, blocks: Math.ceil(options.deliveries / 1000) })
  sheet.figure('a backlog', backlog.perSecond, 'deliveries/s', {
    limit: bare.perSecond,
    limitName: 'bare POST',
    atLeast: 1000,
  })
  sheet.figure('CPU of the process', backlog.nodeUs, 'µs a delivery')
  sheet.figure('CPU of PostgreSQL', backlog.postgresUs, 'µs a delivery')
  const paced = await measureWebhooks({ events: 2, blocks: Math.ceil(options.seconds / 0.8), blockMs: 800 })
  const { latencies } = paced
  sheet.figure('commit to receiver at 250/s, median', median(latencies), 'ms', {
    limit: bare.medianMs,
    limitName: 'bare POST',
    atMost: 300,
  })
  sheet.figure('the same, p99', quantile(latencies, 0.99), 'ms', { limit: bare.p99Ms, limitName: 'bare POST' })
  sheet.end()
  return exitCodes.success
}

interface FeedScenario {
  readonly name: string
  readonly filterAccounts?: number
  /** Messages a second. Default: each block follows the previous one. */
  readonly offered?: number
}

const transactions = 120
const accounts = 1000

const feedScenarios: readonly FeedScenario[] = [
  { name: 'everything' },
  { name: 'filters of 10 accounts, 1.2 messages a block', filterAccounts: 10 },
  // 10 % above the target, so that messages in transit at the end do not matter.
  { name: 'the same, 165,000 messages/s offered', filterAccounts: 10, offered: 165_000 },
  { name: 'filters of 100 accounts, 12 messages a block', filterAccounts: 100 },
]

async function measureFeed(
  sheet: Sheet,
  { name, filterAccounts, offered }: FeedScenario,
  { clients, seconds }: FeedAndWebhooksOptions,
): Promise<void> {
  const feed = await FeedProcess.start()
  const subscribers = new CountingClients()
  await subscribers.connect(clients, feed.port)
  if (filterAccounts !== undefined) await subscribers.subscribe(filterAccounts)
  const messagesOfBlock = clients * ((transactions * (filterAccounts ?? accounts)) / accounts)
  let height = 0
  const reported = await segment(feed, subscribers, async () => {
    const arrivals = subscribers.time(messagesOfBlock)
    const announced: number[] = []
    const startedAt = performance.now()
    const pauseMs = offered === undefined ? undefined : (messagesOfBlock / offered) * 1000
    const announcing: Promise<unknown>[] = []
    for (let i = 1; performance.now() - startedAt < seconds * 1000; i++) {
      announced.push(performance.now())
      const one = feed.order({ from: height, to: ++height })
      announcing.push(one)
      if (pauseMs === undefined) await one
      else await delay(Math.max(0, startedAt + i * pauseMs - performance.now()))
    }
    await Promise.all(announcing)
    await subscribers.untilQuiet()
    return Math.max(...announced.map((at, i) => (arrivals[i] ?? performance.now()) - at))
  })
  if (offered !== undefined) {
    sheet.figure(name, reported.perSecond, 'messages/s', { atLeast: 150_000 })
    sheet.figure('  block to its last client, slowest', reported.result, 'ms')
  } else {
    const bytes = Math.round(reported.bytes / (height * clients))
    const bare = await segment(feed, subscribers, async () => {
      for (let i = 0; i < height; i++) await feed.order({ from: 0, to: 0, bareBytes: bytes })
    })
    const messagesOfWrite = reported.messages / (height * clients)
    const options = { limit: bare.perSecond * messagesOfWrite, limitName: 'bare write' }
    sheet.figure(
      name,
      reported.perSecond,
      'messages/s',
      filterAccounts === 100 ? { ...options, atLeast: 150_000 } : options,
    )
    const usOfWrite = ({ cpu }: { readonly cpu: number }): number => (cpu * 1e6) / (height * clients)
    sheet.figure('  CPU', usOfWrite(reported), 'µs a write', { limit: usOfWrite(bare), limitName: 'bare write' })
  }
  subscribers.disconnect()
  await feed.end()
}

interface FeedSegment<T> {
  readonly messages: number
  readonly perSecond: number
  readonly cpu: number
  readonly bytes: number
  readonly result: T
}

async function segment<T>(
  feed: FeedProcess,
  subscribers: CountingClients,
  deliver: () => Promise<T>,
): Promise<FeedSegment<T>> {
  const before = (await feed.order({ from: 0, to: 0 })).bytesWritten
  subscribers.delivered = 0
  const cpu = feed.cpuSeconds
  const beganAt = performance.now()
  const result = await deliver()
  await subscribers.untilQuiet()
  const seconds = (subscribers.lastAt - beganAt) / 1000
  return {
    messages: subscribers.delivered,
    perSecond: subscribers.delivered / seconds,
    cpu: feed.cpuSeconds - cpu,
    bytes: (await feed.order({ from: 0, to: 0 })).bytesWritten - before,
    result,
  }
}

class FeedProcess {
  readonly port: number
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (done: OrderDone) => void>()
  #orders = 0

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
    child.on('message', (done: OrderDone) => {
      this.#waiting.get(done.number)?.(done)
      this.#waiting.delete(done.number)
    })
  }

  static async start(): Promise<FeedProcess> {
    const { child, port } = await forkReady(childFile, ['feed', transactions, accounts])
    return new FeedProcess(child, port)
  }

  get cpuSeconds(): number {
    return cpuSeconds(this.#child.pid ?? 0)
  }

  order(order: Omit<Order, 'number'>): Promise<OrderDone> {
    const number = this.#orders++
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
      this.#child.send({ ...order, number } satisfies Order)
    })
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

class CountingClients {
  delivered = 0
  lastAt = 0
  readonly #clients: CountingClient[] = []
  #timed: { readonly every: number; readonly at: number[] } | undefined

  async connect(count: number, port: number): Promise<void> {
    for (let i = 0; i < count; i += 100) {
      const some = Array.from({ length: Math.min(100, count - i) }, () =>
        CountingClient.open(port, (frames) => {
          this.delivered += frames
          this.lastAt = performance.now()
          while (this.#timed !== undefined && this.delivered >= (this.#timed.at.length + 1) * this.#timed.every)
            this.#timed.at.push(this.lastAt)
        }),
      )
      this.#clients.push(...(await Promise.all(some)))
    }
  }

  async subscribe(count: number): Promise<void> {
    this.#clients.forEach((client, i) => {
      const some = Array.from({ length: count }, (_, k) => accountOf((i + k * (accounts / count)) % accounts))
      client.send({ type: 'subscribe', id: 1, filter: { addresses: [...some, accountOf(accounts + i)] } })
    })
    await this.untilQuiet()
  }

  time(every: number): readonly number[] {
    this.#timed = { every, at: [] }
    return this.#timed.at
  }

  async untilQuiet(): Promise<void> {
    for (let seen = -1; seen < this.delivered; await delay(100)) seen = this.delivered
  }

  disconnect(): void {
    for (const client of this.#clients) client.destroy()
  }
}

class CountingClient {
  readonly #socket: Socket
  readonly #onFrames: (frames: number) => void
  #isOpen = false
  #missing = 0
  #head: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket, onFrames: (frames: number) => void) {
    this.#socket = socket
    this.#onFrames = onFrames
  }

  static open(port: number, onFrames: (frames: number) => void): Promise<CountingClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').on('error', reject)
      const client = new CountingClient(socket, onFrames)
      const key = randomBytes(16).toString('base64')
      socket.write(
        `GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      )
      socket.on('data', (chunk: Buffer) => {
        if (client.#isOpen) return client.#count(chunk)
        client.#isOpen = true
        resolve(client)
        client.#count(chunk.subarray(chunk.indexOf('\r\n\r\n') + 4))
      })
    })
  }

  send(message: unknown): void {
    const text = Buffer.from(JSON.stringify(message))
    const length = Buffer.alloc(2)
    length.writeUInt16BE(text.length)
    const head =
      text.length < 126 ? Buffer.from([0x81, 0x80 | text.length]) : Buffer.concat([Buffer.from([0x81, 0xfe]), length])
    this.#socket.write(Buffer.concat([head, Buffer.alloc(4), text]))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #count(chunk: Buffer): void {
    let bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    this.#head = Buffer.alloc(0)
    let frames = 0
    let at = Math.min(this.#missing, bytes.length)
    this.#missing -= at
    while (at < bytes.length) {
      const short = (bytes[at + 1] ?? 0) & 0x7f
      const headLength = short < 126 ? 2 : short === 126 ? 4 : 10
      if (bytes.length - at < headLength) {
        this.#head = bytes = bytes.subarray(at)
        break
      }
      const length =
        short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
      if (bytes[at] === 0x89) this.#socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
      else frames++
      at += headLength
      const have = Math.min(length, bytes.length - at)
      this.#missing = length - have
      at += have
    }
    if (frames > 0) this.#onFrames(frames)
  }
}

interface BarePosts {
  readonly perSecond: number
  readonly medianMs: number
  readonly p99Ms: number
}

async function measureBarePosts(count: number, connections: number): Promise<BarePosts> {
  const { child, port } = await forkReady(childFile, ['receiver'])
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const body = JSON.stringify({ block_height: 1, filler: 'x'.repeat(600) })
  const post = async (nth: number): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'webhook-id': String(nth), 'content-length': body.length }
    const sent = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/0', headers })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
    await once(response.resume(), 'end')
  }
  let next = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) await post(next++)
    }),
  )
  const perSecond = count / ((performance.now() - started) / 1000)
  const times: number[] = []
  for (let nth = 0; nth < 200; nth++) {
    const at = performance.now()
    await post(nth)
    times.push(performance.now() - at)
  }
  agent.destroy()
  await endChild(child)
  return { perSecond, medianMs: median(times), p99Ms: quantile(times, 0.99) }
}

interface WebhookRun {
  readonly perSecond: number
  readonly nodeUs: number
  readonly postgresUs: number
  /** Meaningless for a backlog. */
  readonly latencies: readonly number[]
}

const subscriptions = 100

/** @param blockMs undefined: all blocks are stored at the start */
async function measureWebhooks({
  events,
  blocks,
  blockMs,
}: {
  readonly events: number
  readonly blocks: number
  readonly blockMs?: number
}): Promise<WebhookRun> {
  const database = await openBenchDatabase()
  const { pool, postmaster } = database
  const { child: receiver, port } = await forkReady(childFile, ['receiver'])
  const committed = new Map<number, number>()
  const received = new Set<string>()
  const latencies: number[] = []
  const count = blocks * events * subscriptions
  const complete = Promise.withResolvers<void>()
  receiver.on('message', ({ deliveries }: { deliveries: [id: string, height: number, at: number][] }) => {
    for (const [id, height, at] of deliveries) {
      if (!received.has(id)) latencies.push(at - (committed.get(height) ?? at))
      received.add(id)
    }
    if (received.size >= count) complete.resolve()
  })
  await commitBlocks(pool, 0, 1, 0)
  await subscribeAll(pool, `http://127.0.0.1:${port}`)
  if (blockMs === undefined) await commitBlocks(pool, 1, 1 + blocks, events)
  const { child: sender } = await forkReady(childFile, ['sender', database.url])
  const started = performance.now()
  const usage = (): readonly [number, number] => [cpuSeconds(sender.pid ?? 0), treeCpuSeconds(postmaster)]
  const before = usage()
  if (blockMs !== undefined) {
    for (let height = 1; height <= blocks; height++) {
      await commitBlocks(pool, height, height + 1, events)
      committed.set(height, Date.now())
      await delay(Math.max(0, started + height * blockMs - performance.now()))
    }
  }
  await complete.promise
  const seconds = (performance.now() - started) / 1000
  const after = usage()
  await endChild(sender)
  await endChild(receiver)
  await database.close()
  const usOfEach = (at: 0 | 1): number => ((after[at] - before[at]) / count) * 1e6
  return { perSecond: count / seconds, nodeUs: usOfEach(0), postgresUs: usOfEach(1), latencies }
}

async function commitBlocks(pool: pg.Pool, from: number, to: number, transfers: number): Promise<void> {
  for (const table of ['raw.blocks', 'raw.transactions', 'app.ft_transfers'])
    await ensurePartitions(pool, table, 1_000_000, { from, to })
  await withTransaction(pool, async (client) => {
    await client.query(
      `insert into raw.blocks (height, id, parent_id, "timestamp", collection_count, tx_count, event_count,
        collection_ids)
       select h, sha256(('block ' || h)::bytea), sha256(('block ' || h - 1)::bytea), now(), 0, 1, 1, '{}'
       from generate_series($1::bigint, $2::bigint - 1) h`,
      [from, to],
    )
    await client.query(
      `insert into raw.transactions (block_height, gas_limit, gas_used, tx_index, event_count, status_code, is_evm, id,
         status, payer_address, proposer_address, authorizers, script_hash)
       select h, 100, 10, 0, 1, 0, false, sha256(('tx ' || h)::bytea), 'SEALED', '0x1', '0x1', '{0x1}', '\\x00'
       from generate_series($1::bigint, $2::bigint - 1) h`,
      [from, to],
    )
    await client.query(
      `insert into app.ft_transfers
         (block_height, tx_index, event_index, leg, token, from_address, to_address, amount, transfer_type)
       select h, 0, n, 0, 'A.1654653399040a61.FlowToken', '0x00000000000000a1', '0x00000000000000b2', 1.5, 'transfer'
       from generate_series($1::bigint, $2::bigint - 1) h, generate_series(1, $3::int) n`,
      [from, to, transfers],
    )
    for (const service of ['main_ingester', 'token_worker']) {
      await client.query(
        `insert into app.indexing_checkpoints (service_name, covered) values ($1, int8multirange(int8range($2, $3)))
         on conflict (service_name) do update set covered = app.indexing_checkpoints.covered + excluded.covered`,
        [service, from, to],
      )
    }
    await client.query("select pg_notify('flowfarm_farm', '')")
  })
}

async function subscribeAll(pool: pg.Pool, url: string): Promise<void> {
  const stores = webhookStores(pool, ['127.0.0.0/8'])
  const { key } = await new DeveloperKeys(pool).create({ name: 'bench', tier: 'unlimited' })
  for (let i = 0; i < subscriptions; i++) {
    await stores.subscriptions.create(
      { keyId: key.id, tier: key.tier },
      {
        endpoint: { url: `${url}/${i}`, description: '' },
        eventTypes: ['ft.transfer'],
        conditions: {},
        fromHeight: 1,
      },
    )
  }
}
