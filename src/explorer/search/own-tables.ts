import type { NameMatch } from './name-index.ts'
import type { ServedWorker } from '../own/tables.ts'

export interface FoundOwnTable {
  worker: string
  /** Null: the worker itself. */
  table: string | null
  comment: string
  match: NameMatch
}

/** Workers and tables whose name contains the text; best match first. */
export function searchOwnTables(workers: readonly ServedWorker[], text: string, limit: number): FoundOwnTable[] {
  const wanted = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  if (wanted === '') return []
  const all = workers.flatMap(({ name: worker, declaration, tables }) => [
    { worker, table: null, comment: declaration.description, names: [worker] },
    ...tables.map(({ name, comment }) => ({
      worker,
      table: name,
      comment,
      names: [name, `${worker}.${name}`, `own_${worker}.${name}`],
    })),
  ])
  const found = all.flatMap(({ names, ...rest }) => {
    const match = matchOf(names, wanted)
    return match === undefined ? [] : [{ ...rest, match }]
  })
  return found.toSorted((a, b) => order.indexOf(a.match) - order.indexOf(b.match)).slice(0, limit)
}

const order: readonly NameMatch[] = ['exact', 'start', 'part']

function matchOf(names: readonly string[], wanted: string): NameMatch | undefined {
  if (names.includes(wanted)) return 'exact'
  if (names.some((name) => name.startsWith(wanted))) return 'start'
  return names.some((name) => name.includes(wanted)) ? 'part' : undefined
}
