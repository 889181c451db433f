/** A table or view as `migrations/schema.txt` has it. */
export interface DumpedRelation {
  readonly kind: 'table' | 'view'
  /** `schema.name` */
  readonly name: string
  readonly comment: string
  /** Columns of the primary key, with commas. */
  readonly key: string | undefined
  /** What a partitioned table is partitioned by. */
  readonly partition: string | undefined
  readonly columns: readonly DumpedColumn[]
  /** Tables and views that a view reads. */
  readonly reads: readonly string[]
}

export interface DumpedColumn {
  readonly name: string
  readonly type: string
  readonly comment: string
}

/** Kinds of lines of the dump, by how they begin. */
const heading =
  /^(?<kind>table|view) (?<name>\S+?)(?: partition by (?<partition>[^-]+?))?(?: with \((?<storage>[^)]*)\))?(?: -- (?<comment>.*))?$/
const keyLine = /^ {2}constraint \S+ PRIMARY KEY \((.*)\)$/
const columnLine =
  /^ {2}(?!constraint |CREATE |trigger |grant )(?<name>"[^"]+"|[a-z_]\w*) (?<type>.+?)(?: -- (?<comment>.*))?$/
const definitionLine = /^ (?:SELECT|WITH)\b/

/** All tables and views of a dump, in its order. A column of a view that has no words has those of a table under it. */
export function dumpedRelations(dump: string): readonly DumpedRelation[] {
  const relations = dump
    .trimEnd()
    .split(/\n\n/)
    .flatMap((part) => relationOf(part.split('\n')))
  const byName = new Map(relations.map((relation) => [relation.name, relation]))
  return relations.map((relation) => (relation.kind === 'table' ? relation : withWordsOfTables(relation, byName)))
}

function relationOf([first = '', ...rest]: readonly string[]): DumpedRelation[] {
  const found = heading.exec(first)?.groups
  if (found === undefined) return []
  const definition = rest.findIndex((line) => definitionLine.test(line))
  const lines = definition < 0 ? rest : rest.slice(0, definition)
  const columns = lines.flatMap((line) => {
    const column = columnLine.exec(line)?.groups
    if (column === undefined) return []
    return [
      {
        name: (column['name'] ?? '').replaceAll('"', ''),
        type: column['type'] ?? '',
        comment: column['comment'] ?? '',
      },
    ]
  })
  const reads =
    definition < 0 ? [] : rest.slice(definition).flatMap((line) => line.match(/\b(?:app|raw)\.[a-z_]\w*/g) ?? [])
  return [
    {
      kind: found['kind'] === 'view' ? 'view' : 'table',
      name: found['name'] ?? '',
      comment: found['comment'] ?? '',
      key: lines.map((line) => keyLine.exec(line)?.[1]).find((key) => key !== undefined),
      partition: found['partition'],
      columns,
      reads: [...new Set(reads)],
    },
  ]
}

function withWordsOfTables(view: DumpedRelation, byName: ReadonlyMap<string, DumpedRelation>): DumpedRelation {
  const tables = view.reads.flatMap((name) => byName.get(name) ?? [])
  const wordsOf = (name: string): string =>
    tables
      .flatMap(({ columns }) => columns.filter((column) => column.name === name))
      .find(({ comment }) => comment !== '')?.comment ?? ''
  return {
    ...view,
    columns: view.columns.map((column) => ({ ...column, comment: column.comment || wordsOf(column.name) })),
  }
}
