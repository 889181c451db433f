import type pg from 'pg'
import type { Worker } from '../../jobs/worker.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import type { RebuildReport } from '../../src/farm/rebuild/rebuild-derived.ts'
import { chainIdToNetwork } from '../../src/flow/network.ts'
import type { Network } from '../../src/flow/network.ts'
import { query } from '../../src/platform/db/pool.ts'
import { FatalError } from '../../src/platform/errors.ts'
import { ProgressBar } from './progress-bar.ts'

interface RebuildTarget {
  readonly from: number | undefined
  /** Exclusive. */
  readonly to: number | undefined
  readonly schema: string
}

/** A rebuild with a progress bar. @throws FatalError `not-stored` where none of the heights are stored */
export async function rebuildWithProgress(
  pool: pg.Pool,
  workers: readonly Worker[],
  { from, to, schema }: RebuildTarget,
): Promise<RebuildReport> {
  const network = await readNetwork(pool)
  const bar = new ProgressBar('Deriving')
  try {
    const report = await rebuildDerived({
      pool,
      workers,
      network,
      schema,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      onProgress: (done, all) => bar.show(done, all, done === all ? 'folding' : ''),
    })
    if (report.heights.length === 0) {
      const message = 'None of these heights are stored, so there is nothing to derive. npm run status tells which are.'
      throw new FatalError('not-stored', message)
    }
    return report
  } finally {
    bar.end()
  }
}

/** The network that the database holds blocks of. @throws FatalError `chain-unknown`, `unknown-chain` */
async function readNetwork(pool: pg.Pool): Promise<Network> {
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
