import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { KoaAdapter } from '@bull-board/koa'
import type { Queue } from 'bullmq'
import type { Middleware, Next } from 'koa'
import type { createWorkQueue } from '../farm/queues/create-work-queue.ts'
import type { OperatorContext, RequestState } from './http/requests.ts'
import { contentPolicy } from './http/security-headers.ts'

/** The queues of the farm, opened for looking at them. */
export type OpenQueues = Awaited<ReturnType<typeof createWorkQueue>>

export const boardPath = '/operator/queues'

/** Bull Board over the queues of some workers. They are opened when somebody looks for the first time. */
export class QueueBoard {
  readonly #open: () => Promise<OpenQueues>
  readonly #workers: readonly string[]
  #opening: Promise<{ readonly queues: OpenQueues; readonly middleware: Middleware<RequestState> }> | undefined

  constructor(open: () => Promise<OpenQueues>, workers: readonly string[]) {
    this.#open = open
    this.#workers = workers
  }

  /** @throws RetryableError while the queues cannot be reached */
  async serve(context: OperatorContext, next: Next): Promise<void> {
    this.#opening ??= this.#build().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    const { middleware } = await this.#opening
    // The board has style elements of its own; the fonts of another server that it asks for are refused.
    context.set('Content-Security-Policy', contentPolicy({ areStylesFree: true }))
    context.set('Cache-Control', 'no-store')
    await middleware(context, next)
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
      queues: this.#workers.map((worker) => new BullMQAdapter(queues.queue(worker) as Queue)),
      options: {
        uiConfig: {
          boardTitle: 'flowfarm queues', hideRedisDetails: queues.backend === 'postgres',
          miscLinks: [{ text: 'Operator', url: '/operator' }],
        },
      },
    })
    return { queues, middleware: serverAdapter.registerPlugin() }
  }
}
