import { madeFrom, markdownTable, plainText } from './markdown.ts'

/** Kinds of lines of the dump, by how they begin. */
const heading = /^(?<kind>table|view) (?<name>\S+?)(?: partition by (?<partition>[^-]+?))?(?: with \((?<storage>[^)]*)\))?(?: -- (?<comment>.*))?$/
const schemaLine = /^schema (?<name>\S+)(?: -- (?<comment>.*))?$/
const columnLine = /^ {2}(?<name>"[^"]+"|[a-z_]\w*) (?<type>.+?)(?: -- (?<comment>.*))?$/

/**
 * `docs/tables.md`: every table and view with its columns.
 * @param dump the text of `migrations/schema.txt`, which is made from the catalogs of a database
 */
export function tablesPage(dump: string): string {
  const lines = [
    '# Tables', '',
    'What flowfarm keeps in PostgreSQL. Raw tables are written by ingest only; read what you like, write nothing.', '',
    madeFrom('the comments in `migrations/`'),
  ]
  const parts = dump.trimEnd().split(/\n\n/)
  const schemas = parts.map((part) => schemaLine.exec(part)?.groups).filter((groups) => groups !== undefined)
  for (const schema of schemas.toReversed()) {
    lines.push('', `## Schema ${schema['name']}`, '', plainText(schema['comment'] ?? ''))
    for (const part of parts) {
      const [first = '', ...rest] = part.split('\n')
      const found = heading.exec(first)?.groups
      if (found?.['name']?.startsWith(`${schema['name']}.`) !== true) continue
      lines.push(...relationLines(found, rest))
    }
  }
  return `${lines.join('\n')}\n`
}

function relationLines(groups: Record<string, string | undefined>, rest: readonly string[]): string[] {
  const key = rest.map((line) => /^ {2}constraint \S+ PRIMARY KEY \((.*)\)$/.exec(line)?.[1]).find(Boolean)
  const facts = [
    groups['kind'] === 'view' ? 'View.' : '',
    key === undefined ? '' : `Key: ${key}.`,
    groups['partition'] === undefined ? '' : `Partitioned by ${groups['partition'].toLowerCase()}.`,
  ].filter(Boolean).join(' ')
  const columns = rest.flatMap((line) => {
    const found = /^ {2}(constraint|CREATE) /.test(line) ? undefined : columnLine.exec(line)?.groups
    return found === undefined ? [] : [[`\`${found['name']?.replaceAll('"', '')}\``, found['type'] ?? '', plainText(found['comment'] ?? '')]]
  })
  return [
    '', `### ${groups['name']}`, '', plainText(groups['comment'] ?? ''), ...(facts === '' ? [] : ['', facts]), '',
    ...markdownTable(['Column', 'Type', 'Meaning'], columns),
  ]
}
