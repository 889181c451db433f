import type pg from 'pg'
import type { Logger } from '../platform/log.ts'
import type { Attempt } from './deliver.ts'
import { Dispatcher } from './dispatcher.ts'
import type { DispatchLimits } from './dispatch-group.ts'
import { Poster } from './post.ts'
import { dnsLookUp } from '../platform/outbound/resolve-target.ts'
import type { LookUp } from '../platform/outbound/resolve-target.ts'
import type { RetryRules } from './run-recorder.ts'
import { Sender } from './sender.ts'
import { targetPolicy } from '../platform/outbound/target-policy.ts'

export interface WebhookServiceOptions {
  readonly databaseUrl: string
  /** Some eight connections; ended by whoever made it, after `stop`. */
  readonly pool: pg.Pool
  readonly log: Logger
  readonly allowedNetworks: readonly string[]
  readonly relay: { readonly url: URL; readonly token: string | undefined } | undefined
  readonly concurrency: number
  readonly timeoutMs: number
  readonly retry: RetryRules
  readonly limits?: Partial<DispatchLimits>
  /** Default: DNS. */
  readonly lookUp?: LookUp
  readonly onAttempt?: (attempt: Attempt) => void
  /** Deliveries were made, by this process: how many. */
  readonly onMade?: (count: number) => void
}

/** Makes webhooks of what is committed, and sends them. Any number of processes may run it. */
export class WebhookService {
  readonly #options: WebhookServiceOptions
  readonly #stopping = new AbortController()
  #running: Promise<unknown> = Promise.resolve()
  #dispatcher: Dispatcher | undefined

  constructor(options: WebhookServiceOptions) {
    this.#options = options
  }

  /** Whether this process makes the deliveries; all of them send. */
  get isDispatching(): boolean {
    return this.#dispatcher?.isDispatching ?? false
  }

  /** What goes on in the background retries for ever. */
  start(): void {
    const { databaseUrl, pool, log, limits, onAttempt, onMade, ...rest } = this.#options
    const { signal } = this.#stopping
    const poster = new Poster({ timeoutMs: rest.timeoutMs })
    const sender = new Sender({
      databaseUrl,
      pool,
      log,
      signal,
      poster,
      policy: targetPolicy(rest.allowedNetworks),
      lookUp: rest.lookUp ?? dnsLookUp(),
      relay: rest.relay,
      concurrency: rest.concurrency,
      retry: rest.retry,
      ...(onAttempt === undefined ? {} : { onAttempt }),
    })
    const dispatcher = new Dispatcher({
      databaseUrl,
      pool,
      log,
      signal,
      ...(limits === undefined ? {} : { limits }),
      onMade: (count) => {
        sender.wake()
        onMade?.(count)
      },
    })
    this.#dispatcher = dispatcher
    this.#running = Promise.all([sender.run(), dispatcher.run()]).finally(() => poster.close())
  }

  /** Attempts under way may end for a moment, else they are made again by whoever is next; what was sent is written down. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}
