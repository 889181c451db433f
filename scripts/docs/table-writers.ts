import { askingWorkers } from '../../jobs/asking/index.ts'
import { workers } from '../../jobs/index.ts'
import type { Fold, Worker } from '../../jobs/worker.ts'

/** A worker, and where it takes from what it writes. */
export interface TableWriter {
  readonly name: string
  readonly description: string
  /** A sentence for each table, by name. */
  readonly sources: ReadonlyMap<string, string>
}

/** All workers with the tables that they alone write, in the order of their phases; those that ask come last. */
export function tableWriters(): readonly TableWriter[] {
  const deriving = workers
    .toSorted((a, b) => a.phase - b.phase)
    .map((worker): TableWriter => ({
      name: worker.name,
      description: worker.description,
      sources: new Map(sourcesOf(worker)),
    }))
  const asking = askingWorkers.map(({ name, description, questions }): TableWriter => ({
    name,
    description,
    sources: new Map(questions.map(({ table }) => [table, 'Source: answers to what the worker asks.'])),
  }))
  return [...deriving, ...asking]
}

function sourcesOf({ tables, folds }: Worker): (readonly [string, string])[] {
  return [
    ...tables.map(({ name }) => [name, 'Source: the blocks, height by height.'] as const),
    ...folds.map((fold) => [fold.name, foldSource(fold)] as const),
  ]
}

function foldSource(fold: Fold): string {
  const from = (fold.kind === 'sum' ? [fold.of].flat() : fold.reads).map((name) => `\`${name}\``).join(', ')
  return fold.kind === 'sum' ? `Source: sums over ${from}.` : `Source: folded from ${from}.`
}
