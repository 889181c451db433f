import { dumpedRelations } from './dumped-relations.ts'
import type { DumpedRelation } from './dumped-relations.ts'
import { madeFrom, markdownTable, plainText } from './markdown.ts'
import { tableWriters } from './table-writers.ts'

const schemaLine = /^schema (?<name>\S+)(?: -- (?<comment>.*))?$/gm

/**
 * `docs/tables.md`: every table and view with its columns, by who writes it.
 * @param dump the text of `migrations/schema.txt`, which is made from the catalogs of a database
 */
export function tablesPage(dump: string): string {
  const relations = dumpedRelations(dump)
  const lines = [
    '# Tables',
    '',
    'What flowfarm keeps in PostgreSQL, by who writes it. Read what you like, write nothing.',
    '',
    madeFrom('the comments in `migrations/` and the declarations in `jobs/`'),
    '',
    'A table with the source "the blocks" has rows for heights, and a range of heights is written as one piece. All others',
    'that workers write follow from such tables, so that they are right whatever ranges were done in whatever order.',
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
  section('The rest of schema app', 'What the program keeps of itself, and what operators write.', [...left])
  return `${lines.join('\n')}\n`
}

/** Tables in the order in which a worker declares them, then the views over them. */
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
