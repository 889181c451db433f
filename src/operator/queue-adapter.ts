import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { Queue } from 'bullmq'
import type pg from 'pg'
import { query } from '../db/pool.ts'

type QueueWorkers = Awaited<ReturnType<BullMQAdapter['getWorkers']>>

interface Row {
  /** As `processName` makes it: host, process id, time of its start in base 36. */
  readonly leasedBy: string
}

/**
 * A queue on PostgreSQL. BullMQ finds the workers of a queue by the names of their sessions, but all queues of a
 * process share one connection, so none is found. The leases tell which processes work for a queue now; where none has
 * one, the board says nothing.
 */
export class PostgresQueueAdapter extends BullMQAdapter {
  readonly #pool: pg.Pool
  readonly #worker: string

  constructor(queue: Queue, pool: pg.Pool) {
    super(queue)
    this.#pool = pool
    this.#worker = queue.name
  }

  override async getWorkers(): Promise<QueueWorkers> {
    const { rows } = await query<Row>(
      this.#pool,
      `select distinct leased_by as "leasedBy" from app.worker_leases where worker_type = $1 and status = 'active' order by 1`,
      [this.#worker],
    )
    if (rows.length === 0) return null
    return rows.map(({ leasedBy }) => {
      const [host = '', pid = '', start = ''] = leasedBy.split(':')
      const age = Math.round((Date.now() - Number.parseInt(start, 36)) / 1000)
      return { id: leasedBy, name: null, addr: `${host}:${pid}`, age: Number.isFinite(age) ? Math.max(0, age) : 0 }
    })
  }
}
