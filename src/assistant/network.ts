import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { chainIdToNetwork } from '../flow/network.ts'
import type { Network } from '../flow/network.ts'
import type { ServiceContext } from '../platform/service.ts'
import { oncePerProcess } from '../platform/service.ts'

/** How often a database that knows no chain yet is looked at, ms. */
const pauseMs = 2000

/**
 * The network that a database is about; undefined until an ingester has met a node. @param pool on the indexer's
 * database
 */
export async function readNetwork(pool: pg.Pool): Promise<Network | undefined> {
  const { rows } = await pool.query<{ chain_id: string }>('select chain_id from app.chain')
  const [row] = rows
  return row === undefined ? undefined : chainIdToNetwork(row.chain_id)
}

/**
 * Calls back once, when the network becomes known.
 * @returns ends the waiting
 */
export function whenNetworkKnown(pool: pg.Pool, log: Logger, tell: (network: Network) => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const network = await readNetwork(pool)
    if (network === undefined) schedule()
    else await tell(network)
  }
  const schedule = (): void => {
    timer = setTimeout(() => {
      look().catch((error: unknown) => {
        log.warn({ err: asError(error) }, 'the network of the database could not be read')
        if (timer !== undefined) schedule()
      })
    }, pauseMs).unref()
  }
  schedule()
  return () => {
    clearTimeout(timer)
    timer = undefined
  }
}

/**
 * The network, for the addresses in what models are told: that of the chain, as soon as a node has been met, and
 * mainnet until then. It is waited for once in a process.
 */
export const openNetwork = oncePerProcess(
  async ({
    pool,
    log,
    lifecycle,
  }: Pick<ServiceContext<unknown>, 'pool' | 'log' | 'lifecycle'>): Promise<() => Network> => {
    let network = await readNetwork(pool)
    if (network === undefined) {
      lifecycle.onStop(
        'waiting for the network of scripts',
        whenNetworkKnown(pool, log, (found) => {
          network = found
          return Promise.resolve()
        }),
      )
    }
    return () => network ?? 'mainnet'
  },
)
