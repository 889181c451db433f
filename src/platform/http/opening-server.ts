import Koa from 'koa'
import type { Middleware } from 'koa'
import { ApiError } from '../errors.ts'
import { isClientDisconnect, closeServer, listen } from './connections.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { requests } from './requests.ts'
import type { RequestState } from './requests.ts'

export interface OpeningServerOptions {
  /** By which requests are counted, and what people are told that starts, such as `wallet`. */
  readonly service: string
  /** What answers, in turn, put together when the port is known, which links and origins need. */
  readonly open: (port: number) => Promise<readonly Middleware<RequestState>[]>
  /** What an error that is no answer of ours becomes. Default: as it is. */
  readonly translate?: ((thrown: unknown) => ApiError | undefined) | undefined
  readonly log: Logger
  readonly metrics: Metrics
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** How long `close` waits for what is being answered, ms. Default 3,000. */
  readonly closeGraceMs?: number | undefined
}

export interface OpeningServer {
  readonly port: number
  close(): Promise<void>
}

/**
 * Starts a server whose parts are put together once its port is bound; until then it answers 503.
 * @throws what the system says when the port cannot be bound; what `open` throws
 */
export async function createOpeningServer({
  service,
  open,
  translate,
  log,
  metrics,
  host,
  port: wanted,
  closeGraceMs = 3000,
}: OpeningServerOptions): Promise<OpeningServer> {
  const app = new Koa<RequestState>()
  app.on('error', (error: unknown) =>
    log[isClientDisconnect(error) ? 'debug' : 'error']({ err: error }, 'an answer could not be sent'),
  )
  app.use(
    requests({ service, metrics, log, list: 'the documentation', ...(translate === undefined ? {} : { translate }) }),
  )
  let handler: Middleware<RequestState> | undefined
  app.use(async (context, next) => {
    if (handler === undefined)
      throw new ApiError(503, 'starting', `The ${service} starts. Try again in a moment.`, {
        details: { retryAfterSeconds: 1 },
      })
    await handler(context, next)
  })
  const handle = app.callback()
  const { server, port } = await listen((request, response) => void handle(request, response), { host, port: wanted })
  try {
    handler = inTurn(await open(port))
  } catch (error) {
    await closeServer(server, 0)
    throw error
  }
  return { port, close: () => closeServer(server, closeGraceMs) }
}

function inTurn(list: readonly Middleware<RequestState>[]): Middleware<RequestState> {
  return (context, next) => {
    const run = (at: number): Promise<unknown> => {
      const one = list[at]
      return Promise.resolve(one === undefined ? next() : one(context, () => run(at + 1) as Promise<void>))
    }
    return run(0)
  }
}
