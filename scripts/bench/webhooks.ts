import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openBenchDatabase } from './farm/bench-database.ts'
import { cpuSeconds, treeCpuSeconds } from './process-usage.ts'
import { commitBlocks, subscribeAll } from './webhooks/made-up-blocks.ts'

/**
 * `npm run bench:webhooks`: deliveries a second of one process, the processor time of each, and the time from the commit of an event
 * until its receiver has it, while others do not answer. Made-up blocks, real sockets; the receivers are one process of their own on the same machine.
 */

const { values } = parseArgs({ options: { deliveries: { type: 'string', default: '20000' }, seconds: { type: 'string', default: '10' }, only: { type: 'string' } } })

interface Scenario {
  readonly name: string
  readonly subscriptions: number
  /** Subscriptions beside those whose receiver answers after 5 s. */
  readonly slow?: number
  /** Events of a block, each told to every subscription. */
  readonly events: number
  /** Between two blocks; undefined: all blocks are there at once. */
  readonly blockMs?: number
}

const scenarios: readonly Scenario[] = [
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

async function measure({ subscriptions, slow = 0, events, blockMs }: Scenario): Promise<string> {
  const database = await openBenchDatabase()
  const receiver = fork(join(import.meta.dirname, 'webhooks/receiver.ts'))
  const [{ port }] = await once(receiver, 'message') as [{ port: number }]
  const receivers = `http://127.0.0.1:${port}`
  await commitBlocks(database.pool, 0, 1, 0)
  await subscribeAll(database.pool, `${receivers}/quick`, subscriptions)
  await subscribeAll(database.pool, `${receivers}/slow`, slow)
  const commits = new Map<number, number>()
  const arrivals = new Arrivals(receiver, commits)
  const blocks = blockMs === undefined ? Math.ceil(Number(values.deliveries) / subscriptions / events) : Math.ceil(Number(values.seconds) * 1000 / blockMs)
  if (blockMs === undefined) await commitBlocks(database.pool, 1, 1 + blocks, events)
  const sending = fork(join(import.meta.dirname, 'webhooks/sending.ts'), [database.url])
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
  const sorted = arrivals.latencies.sort((a, b) => a - b)
  const quantile = (share: number): string => (blockMs === undefined ? '' : String(sorted[Math.floor((sorted.length - 1) * share)]))
  return Math.round(count / seconds).toLocaleString('en').padStart(8) + (used[0] / count * 1e6).toFixed(0).padStart(12) + (used[1] / count * 1e6).toFixed(0).padStart(12) +
    quantile(0.5).padStart(11) + quantile(0.99).padStart(8) + String(arrivals.repeated).padStart(10)
}

process.stdout.write(`Webhooks: one process, ${availableParallelism()} cores for it, PostgreSQL and the receivers, Node ${process.version}\n\n` +
  `${''.padEnd(40)}each s   CPU µs: Node   PostgreSQL   median ms   p99   repeated\n`)
for (const scenario of scenarios) {
  if (values.only === undefined || scenario.name.includes(values.only)) process.stdout.write(`${scenario.name.padEnd(36)}${await measure(scenario)}\n`)
}
