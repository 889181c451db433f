import type { BenchSheet } from '../bench-run.ts'
import { median } from '../farm/quantile.ts'
import { measureIngest } from '../ingest/measure-ingest.ts'
import type { IngestRun } from '../ingest/measure-ingest.ts'
import { startSimulatedNode } from '../simulated-node.ts'

/** Raw ingest, and a bare COPY of the same rows after each run. */
export async function benchIngest(sheet: BenchSheet): Promise<void> {
  const { ingestBlocks, ingestRuns } = sheet.size
  await using node = await startSimulatedNode(ingestBlocks)
  const { endpoint, from } = node
  const runs: IngestRun[] = []
  for (let i = 0; i < ingestRuns; i++)
    runs.push(await measureIngest({ endpoint, from, to: from + ingestBlocks - 1, isForward: false }))
  const of = (pick: (run: IngestRun) => number): number => median(runs.map(pick))
  sheet.note(
    'ingest.pace',
    of((run) => run.blocksPerSecond),
    of((run) => run.bareCopyBlocksPerSecond),
  )
  sheet.note(
    'ingest.node',
    of((run) => run.ownMs),
  )
  sheet.note(
    'ingest.postgres',
    of((run) => run.postgresMs),
    of((run) => run.bareCopyPostgresMs),
  )
  sheet.note(
    'ingest.memory',
    of((run) => run.peakMiB),
  )
}
