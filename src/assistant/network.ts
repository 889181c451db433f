import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { chainIdToNetwork } from '../flow/network.ts'
import type { Network } from '../flow/network.ts'
import type { ServiceContext } from '../platform/service.ts'
import { oncePerProcess } from '../platform/service.ts'

const retryMs = 2000

/** Undefined until an ingester has connected to a node. */
export async function readNetwork(pool: pg.Pool): Promise<Network | undefined> {
  const { rows } = await pool.query<{ chain_id: string }>('select chain_id from app.chain')
  const [row] = rows
  return row === undefined ? undefined : chainIdToNetwork(row.chain_id)
}

export function whenNetworkKnown(pool: pg.Pool, log: Logger, onKnown: (network: Network) => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const network = await readNetwork(pool)
    if (network === undefined) schedule()
    else await onKnown(network)
  }
  const schedule = (): void => {
    timer = setTimeout(() => {
      look().catch((error: unknown) => {
        log.warn({ err: asError(error) }, 'Cannot read the network from the database')
        if (timer !== undefined) schedule()
      })
    }, retryMs).unref()
  }
  schedule()
  return () => {
    clearTimeout(timer)
    timer = undefined
  }
}

/** Mainnet until an ingester has connected to a node. */
export const openNetwork = oncePerProcess(
  async ({
    pool,
    log,
    lifecycle,
  }: Pick<ServiceContext<unknown>, 'pool' | 'log' | 'lifecycle'>): Promise<() => Network> => {
    let network = await readNetwork(pool)
    if (network === undefined) {
      lifecycle.onStop(
        'network detection',
        whenNetworkKnown(pool, log, (found) => {
          network = found
          return Promise.resolve()
        }),
      )
    }
    return () => network ?? 'mainnet'
  },
)
