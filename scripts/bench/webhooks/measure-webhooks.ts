import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { quantile } from '../farm/quantile.ts'
import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts'
import { commitBlocks, subscribeAll } from './made-up-blocks.ts'

export interface WebhookScenario {
  readonly name: string
  readonly subscriptions: number
  /** Subscriptions beside those whose receiver answers after 5 s. */
  readonly slow?: number
  /** Events of a block, each told to every subscription. */
  readonly events: number
  /** Between two blocks; undefined: all blocks are there at once. */
  readonly blockMs?: number
}

/** Each name once. */
export const webhookScenarios: readonly WebhookScenario[] = [
  { name: '10 subscriptions, a backlog', subscriptions: 10, events: 20 },
  { name: '100 subscriptions, a backlog', subscriptions: 100, events: 10 },
  { name: '1,000 subscriptions, a backlog', subscriptions: 1000, events: 1 },
  { name: '100 subscriptions, 1,000 a second', subscriptions: 100, events: 8, blockMs: 800 },
  { name: '100 subscriptions, 250 a second', subscriptions: 100, events: 2, blockMs: 800 },
  { name: 'the same, 100 more that hang', subscriptions: 100, slow: 100, events: 2, blockMs: 800 },
]

/** What has come, by block, the first time that it came. */
class Arrivals {
  readonly #ids = new Set<string>()
  readonly latencies: number[] = []
  readonly #commits: ReadonlyMap<number, number>
  repeated = 0
  #wanted = Number.POSITIVE_INFINITY
  readonly #reached = Promise.withResolvers<void>()

  constructor(receiver: ChildProcess, commits: ReadonlyMap<number, number>) {
    this.#commits = commits
    receiver.on('message', ({ came }: { came: [string, number, number][] }) => {
      for (const [id, height, at] of came) this.#add(id, height, at)
      if (this.#ids.size >= this.#wanted) this.#reached.resolve()
    })
  }

  #add(id: string, height: number, at: number): void {
    if (this.#ids.has(id)) this.repeated++
    else this.latencies.push(at - (this.#commits.get(height) ?? at))
    this.#ids.add(id)
  }

  until(count: number): Promise<void> {
    this.#wanted = count
    if (this.#ids.size >= count) this.#reached.resolve()
    return this.#reached.promise
  }
}

export interface WebhookLoad {
  /** Of a backlog. */
  readonly deliveries: number
  /** For which blocks come, where they come one after the other. */
  readonly seconds: number
}

export interface WebhookResult {
  readonly perSecond: number
  /** Processor time of Node and of PostgreSQL for a delivery. */
  readonly nodeUs: number
  readonly postgresUs: number
  /** From the commit of an event until its receiver has it; undefined of a backlog. */
  readonly latency: { readonly medianMs: number; readonly p99Ms: number } | undefined
  /** Deliveries that came more than once. */
  readonly repeated: number
}

/** Everything is in this process's children: the senders, the receivers, and a database of their own. */
export async function measureWebhooks(
  { subscriptions, slow = 0, events, blockMs }: WebhookScenario,
  load: WebhookLoad,
): Promise<WebhookResult> {
  const database = await openBenchDatabase()
  const receiver = fork(join(import.meta.dirname, 'receiver.ts'))
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
  const receivers = `http://127.0.0.1:${port}`
  await commitBlocks(database.pool, 0, 1, 0)
  await subscribeAll(database.pool, `${receivers}/quick`, subscriptions)
  await subscribeAll(database.pool, `${receivers}/slow`, slow)
  const commits = new Map<number, number>()
  const arrivals = new Arrivals(receiver, commits)
  const blocks =
    blockMs === undefined
      ? Math.ceil(load.deliveries / subscriptions / events)
      : Math.ceil((load.seconds * 1000) / blockMs)
  if (blockMs === undefined) await commitBlocks(database.pool, 1, 1 + blocks, events)
  const sending = fork(join(import.meta.dirname, 'sending.ts'), [database.url])
  await once(sending, 'message')
  const begun = performance.now()
  const cpu = [cpuSeconds(sending.pid ?? 0), treeCpuSeconds(database.postmaster)] as const
  if (blockMs !== undefined) {
    for (let height = 1; height <= blocks; height++) {
      await commitBlocks(database.pool, height, height + 1, events)
      commits.set(height, Date.now())
      await delay(Math.max(0, begun + height * blockMs - performance.now()))
    }
  }
  const count = blocks * events * subscriptions
  await arrivals.until(count)
  const seconds = (performance.now() - begun) / 1000
  const used = [cpuSeconds(sending.pid ?? 0) - cpu[0], treeCpuSeconds(database.postmaster) - cpu[1]] as const
  for (const child of [sending, receiver]) {
    child.disconnect()
    await once(child, 'exit')
  }
  await database.close()
  const { latencies, repeated } = arrivals
  return {
    perSecond: count / seconds,
    nodeUs: (used[0] / count) * 1e6,
    postgresUs: (used[1] / count) * 1e6,
    repeated,
    latency:
      blockMs === undefined ? undefined : { medianMs: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) },
  }
}
