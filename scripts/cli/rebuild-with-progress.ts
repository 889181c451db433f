import type pg from 'pg'
import type { Worker } from '../../jobs/worker.ts'
import { FatalError } from '../../src/base/errors.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import type { RebuildReport } from '../../src/farm/rebuild/rebuild-derived.ts'
import { readNetwork } from './chain-network.ts'
import { ProgressBar } from './progress-bar.ts'

export interface RebuildTarget {
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
