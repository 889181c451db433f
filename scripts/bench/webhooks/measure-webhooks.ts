import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { DeveloperKeys } from '../../../src/platform/auth/developer-keys.ts'
import { ensurePartitions } from '../../../src/platform/db/partitions.ts'
import { withTransaction } from '../../../src/platform/db/pool.ts'
import { webhookStores } from '../../../src/webhooks/webhook-stores.ts'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { quantile } from '../farm/quantile.ts'
import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts'

interface WebhookScenario {
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

interface WebhookLoad {
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

/** Writes blocks of one transaction with so many transfers, as ingest and the token worker do, in one transaction that announces them. */
async function commitBlocks(pool: pg.Pool, from: number, to: number, transfers: number): Promise<void> {
  for (const table of ['raw.blocks', 'raw.transactions', 'app.ft_transfers'])
    await ensurePartitions(pool, table, 1_000_000, { from, to })
  await withTransaction(pool, async (client) => {
    await client.query(
      `insert into raw.blocks (height, id, parent_id, "timestamp", collection_count, tx_count, event_count, collection_ids)
       select h, sha256(('block ' || h)::bytea), sha256(('block ' || h - 1)::bytea), now(), 0, 1, 1, '{}' from generate_series($1::bigint, $2::bigint - 1) h`,
      [from, to],
    )
    await client.query(
      `insert into raw.transactions (block_height, gas_limit, gas_used, tx_index, event_count, status_code, is_evm, id, status, payer_address, proposer_address, authorizers, script_hash)
       select h, 100, 10, 0, 1, 0, false, sha256(('tx ' || h)::bytea), 'SEALED', '0x1', '0x1', '{0x1}', '\\x00' from generate_series($1::bigint, $2::bigint - 1) h`,
      [from, to],
    )
    await client.query(
      `insert into app.ft_transfers (block_height, tx_index, event_index, leg, token, from_address, to_address, amount, transfer_type)
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

/** Subscriptions of a key of their own to all transfers from height 1 on, each with an endpoint of its own below a URL. */
async function subscribeAll(pool: pg.Pool, url: string, count: number): Promise<void> {
  const stores = webhookStores(pool, ['127.0.0.0/8'])
  const { key } = await new DeveloperKeys(pool).create({ name: 'bench', tier: 'unlimited' })
  const owner = { keyId: key.id, tier: key.tier }
  for (let i = 0; i < count; i++) {
    await stores.subscriptions.create(owner, {
      endpoint: { url: `${url}/${i}`, description: '' },
      eventTypes: ['ft.transfer'],
      conditions: {},
      fromHeight: 1,
    })
  }
}
