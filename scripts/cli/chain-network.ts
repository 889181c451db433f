import type pg from 'pg'
import { FatalError } from '../../src/base/errors.ts'
import { chainIdToNetwork } from '../../src/chain/network.ts'
import type { Network } from '../../src/chain/network.ts'
import { query } from '../../src/db/pool.ts'

/** The network that the database holds blocks of. @throws FatalError `chain-unknown`, `unknown-chain` */
export async function readNetwork(pool: pg.Pool): Promise<Network> {
  const {
    rows: [row],
  } = await query<{ chain_id: string }>(pool, 'select chain_id from app.chain')
  if (row === undefined) {
    const message = 'The database holds no blocks yet: start flowfarm, so that it meets an access node.'
    throw new FatalError('chain-unknown', message)
  }
  const network = chainIdToNetwork(row.chain_id)
  if (network === undefined) {
    throw new FatalError('unknown-chain', `The database holds the chain ${row.chain_id}, which flowfarm does not know.`)
  }
  return network
}
