import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'
import { workers } from '../../jobs/index.ts'
import type { Fold, Worker } from '../../jobs/worker.ts'

const schemaLine = /^schema (?<name>\S+)(?: -- (?<comment>.*))?$/gm

export function tablesPage(dump: string): string {
  const relations = dumpedRelations(dump)
  const lines = [
    '# Tables',
    '',
    'Tables and views of flowfarm, by writer. Treat them as read-only.',
    '',
    generatedNotice('the comments in `migrations/` and the declarations in `jobs/`'),
    '',
    'Tables with the source "the blocks" have rows per height and are written by range. Other tables of workers are',
    'derived from them, independently of the order of ranges.',
  ]
  const comments = new Map(
    [...dump.matchAll(schemaLine)].map(({ groups }) => [groups?.['name'], groups?.['comment'] ?? '']),
  )
  const left = new Set(relations)
  const section = (
    title: string,
    text: string,
    of: readonly DumpedRelation[],
    sources?: ReadonlyMap<string, string>,
  ): void => {
    if (of.length === 0) return
    lines.push('', `## ${title}`, '', plainText(text))
    for (const relation of of) {
      left.delete(relation)
      lines.push(...relationLines(relation, sources?.get(relation.name)))
    }
  }
  section(
    'Schema raw',
    comments.get('raw') ?? '',
    relations.filter(({ name }) => name.startsWith('raw.')),
  )
  for (const { name, description, sources } of tableWriters()) {
    section(name, `${description}.`, ofWriter([...left], sources), sources)
  }
  for (const [schema, service] of Object.entries({
    wallet_auth: 'wallet',
    wallet: 'wallet',
    projects: 'editor',
    editor: 'editor',
  })) {
    section(
      `Schema ${schema}`,
      `${comments.get(schema) ?? ''} Written by the service ${service}.`,
      [...left].filter(({ name }) => name.startsWith(`${schema}.`)),
    )
  }
  section('Other tables of schema app', 'State of the program, and tables that operators write.', [...left])
  return `${lines.join('\n')}\n`
}

function ofWriter(relations: readonly DumpedRelation[], sources: ReadonlyMap<string, string>): DumpedRelation[] {
  const tables = [...sources.keys()].flatMap((name) => relations.find((relation) => relation.name === name) ?? [])
  const views = relations.filter(({ kind, reads }) => kind === 'view' && reads.some((name) => sources.has(name)))
  return [...tables, ...views]
}

function relationLines({ kind, name, comment, key, partition, columns, reads }: DumpedRelation, source = ''): string[] {
  const facts = [
    kind === 'view' ? `View over ${reads.map((table) => `\`${table}\``).join(', ')}.` : '',
    source,
    key === undefined ? '' : `Key: ${key}.`,
    partition === undefined ? '' : `Partitioned by ${partition.toLowerCase()}.`,
  ]
    .filter(Boolean)
    .join(' ')
  return [
    '',
    `### ${name}`,
    '',
    plainText(comment),
    ...(facts === '' ? [] : ['', facts]),
    '',
    ...markdownTable(
      ['Column', 'Type', 'Meaning'],
      columns.map((column) => [`\`${column.name}\``, column.type, plainText(column.comment)]),
    ),
  ]
}

interface TableWriter {
  readonly name: string
  readonly description: string
  readonly sources: ReadonlyMap<string, string>
}

function tableWriters(): readonly TableWriter[] {
  const deriving = workers
    .toSorted((a, b) => a.phase - b.phase)
    .map((worker): TableWriter => ({
      name: worker.name,
      description: worker.description,
      sources: new Map(sourcesOf(worker)),
    }))
  const enrichment = allEnrichmentWorkers.map(({ name, description, tables }): TableWriter => ({
    name,
    description,
    sources: new Map(tables.map(({ table }) => [table, 'Source: access nodes.'])),
  }))
  return [...deriving, ...enrichment]
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

interface DumpedRelation {
  readonly kind: 'table' | 'view'
  readonly name: string
  readonly comment: string
  readonly key: string | undefined
  readonly partition: string | undefined
  readonly columns: readonly DumpedColumn[]
  readonly reads: readonly string[]
}

interface DumpedColumn {
  readonly name: string
  readonly type: string
  readonly comment: string
}

const heading = new RegExp(
  /^(?<kind>table|view) (?<name>\S+?)(?: partition by (?<partition>[^-]+?))?/.source +
    /(?: with \((?<storage>[^)]*)\))?(?: -- (?<comment>.*))?$/.source,
)
const keyLine = /^ {2}constraint \S+ PRIMARY KEY \((.*)\)$/
const columnLine =
  /^ {2}(?!constraint |CREATE |trigger |grant )(?<name>"[^"]+"|[a-z_]\w*) (?<type>.+?)(?: -- (?<comment>.*))?$/
const definitionLine = /^ (?:SELECT|WITH)\b/

/** View columns without a comment inherit the table's. */
export function dumpedRelations(dump: string): readonly DumpedRelation[] {
  const relations = dump
    .trimEnd()
    .split(/\n\n/)
    .flatMap((part) => relationOf(part.split('\n')))
  const byName = new Map(relations.map((relation) => [relation.name, relation]))
  return relations.map((relation) => (relation.kind === 'table' ? relation : withTableComments(relation, byName)))
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

function withTableComments(view: DumpedRelation, byName: ReadonlyMap<string, DumpedRelation>): DumpedRelation {
  const tables = view.reads.flatMap((name) => byName.get(name) ?? [])
  const commentOf = (name: string): string =>
    tables
      .flatMap(({ columns }) => columns.filter((column) => column.name === name))
      .find(({ comment }) => comment !== '')?.comment ?? ''
  return {
    ...view,
    columns: view.columns.map((column) => ({ ...column, comment: column.comment || commentOf(column.name) })),
  }
}
export function generatedNotice(source: string): string {
  return `Generated from ${source} by \`npm run docs\`.`
}

export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)]
}

/** Escapes outside backticks. */
export function plainText(text: string): string {
  return text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`')
}
