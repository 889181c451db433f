import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { KoaAdapter } from '@bull-board/koa'
import type { Queue } from 'bullmq'
import type { Middleware, Next } from 'koa'
import type pg from 'pg'
import type { createWorkQueue } from '../farm/queues/create-work-queue.ts'
import { queueNames } from '../farm/queues/work-queue.ts'
import { query } from '../platform/db/pool.ts'
import type { RequestContext, RequestState } from '../platform/http/requests.ts'
import { contentPolicy } from '../platform/pages/serve-page.ts'

export type OpenQueues = Awaited<ReturnType<typeof createWorkQueue>>

export const boardPath = '/operator/queues'

const foreignLinks = /<link [^>]*href="https?:[^>]*>/g

/** Opens the queues at the first request. */
export class QueueBoard {
  readonly #open: () => Promise<OpenQueues>
  readonly #pool: pg.Pool
  #opening: Promise<{ readonly queues: OpenQueues; readonly middleware: Middleware<RequestState> }> | undefined

  constructor(open: () => Promise<OpenQueues>, pool: pg.Pool) {
    this.#open = open
    this.#pool = pool
  }

  /** @throws RetryableError while the queue backend is unreachable */
  async serve(context: RequestContext, next: Next): Promise<void> {
    this.#opening ??= this.#build().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    const { middleware } = await this.#opening
    context.set('Content-Security-Policy', contentPolicy({ areStylesFree: true }))
    context.set('Cache-Control', 'no-store')
    await middleware(context, next)
    if (typeof context.body === 'string') context.body = context.body.replaceAll(foreignLinks, '')
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined)
    await opened?.queues.close()
  }

  async #build(): Promise<{ queues: OpenQueues; middleware: Middleware<RequestState> }> {
    const queues = await this.#open()
    const serverAdapter = new KoaAdapter()
    serverAdapter.setBasePath(boardPath)
    createBullBoard({
      serverAdapter,
      queues: queueNames.map((name) => {
        const queue = queues.queue(name) as Queue
        return queues.backend === 'postgres' ? new PostgresQueueAdapter(queue, this.#pool) : new BullMQAdapter(queue)
      }),
      options: {
        uiConfig: {
          boardTitle: 'flowfarm queues',
          hideRedisDetails: queues.backend === 'postgres',
          miscLinks: [{ text: 'Operator', url: '/operator' }],
        },
      },
    })
    return { queues, middleware: serverAdapter.registerPlugin() }
  }
}

type QueueWorkers = Awaited<ReturnType<BullMQAdapter['getWorkers']>>

interface Row {
  /** From `processName`: host, process id, start time in base 36. */
  readonly leasedBy: string
}

/**
 * BullMQ finds workers by their database sessions, but all queues of a process share one
 * connection. The active leases name the processes instead; they do not tell the queues apart.
 */
class PostgresQueueAdapter extends BullMQAdapter {
  readonly #pool: pg.Pool

  constructor(queue: Queue, pool: pg.Pool) {
    super(queue)
    this.#pool = pool
  }

  override async getWorkers(): Promise<QueueWorkers> {
    const { rows } = await query<Row>(
      this.#pool,
      `select distinct leased_by as "leasedBy" from app.worker_leases where status = 'active' order by 1`,
    )
    if (rows.length === 0) return null
    return rows.map(({ leasedBy }) => {
      const [host = '', pid = '', start = ''] = leasedBy.split(':')
      const age = Math.round((Date.now() - Number.parseInt(start, 36)) / 1000)
      return { id: leasedBy, name: null, addr: `${host}:${pid}`, age: Number.isFinite(age) ? Math.max(0, age) : 0 }
    })
  }
}
