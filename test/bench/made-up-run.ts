import { figureParts } from '../../scripts/bench/report/figures.ts'
import type { FigureKind } from '../../scripts/bench/report/figures.ts'
import type { BenchRun } from '../../scripts/bench/report/history.ts'

/** A run in which every figure is 50, and every limit 100, on a machine where nobody else worked. */
export function madeUpRun(
  changes: {
    readonly conditions?: Partial<BenchRun['conditions']>
    readonly mode?: BenchRun['mode']
    readonly figures?: BenchRun['figures']
  } = {},
): BenchRun {
  const kinds = Object.values(figureParts).flatMap(({ figures }): [string, FigureKind][] => Object.entries(figures))
  return {
    mode: changes.mode ?? 'full',
    conditions: {
      at: '2026-03-04T05:06:07.890Z',
      commit: 'abc1234',
      seconds: 600,
      processor: 'A Processor',
      cores: 2,
      memoryGiB: 24,
      system: 'Linux 6.1',
      loadBefore: 0.2,
      loadAfter: 2.5,
      others: [0.01, 0.03],
      versions: { Node: '24.1.0', PostgreSQL: '18.4' },
      settings: { fsync: 'on', blocks: 10_000 },
      ...changes.conditions,
    },
    figures: {
      ...Object.fromEntries(
        kinds.map(([id, { limit }]) => [id, { value: 50, ...(limit === undefined ? {} : { limit: 100 }) }]),
      ),
      ...changes.figures,
    },
    growth: {
      blocks: [
        { upTo: 500, nodeMs: 2, postgresMs: 3 },
        { upTo: 1000, nodeMs: 1, postgresMs: 1 },
        { upTo: 1500, nodeMs: 1.5, postgresMs: 1.5 },
      ],
      requests: {
        sizes: [1000, 10_000],
        cases: {
          'block-list': [
            { ms: 0.2, bytes: 8000 },
            { ms: 0.22, bytes: 8100 },
          ],
        },
      },
    },
  }
}
