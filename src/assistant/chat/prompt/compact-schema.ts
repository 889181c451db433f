/** How much is told of tables: `full` as the database has it, `compact` without the comments of columns and without indexes, a third as long. */
export type SchemaForm = 'full' | 'compact'

/** Names of types as long as they have to be. */
const shortTypes: readonly (readonly [RegExp, string])[] = [
  [/\btimestamp(\(\d\))? with time zone\b/g, 'timestamptz'],
  [/\btimestamp(\(\d\))? without time zone\b/g, 'timestamp'],
  [/\bcharacter varying(\(\d+\))?/g, 'text'],
  [/\bbigint\b/g, 'int8'],
  [/\binteger\b/g, 'int4'],
  [/\bsmallint\b/g, 'int2'],
  [/\bboolean\b/g, 'bool'],
  [/\bdouble precision\b/g, 'float8'],
]

/**
 * The definitions of tables (`schema://…-ddl`) with one line for each: `app.accounts (address text, …) key (address) -- What it holds.`
 * Lines that are not of a definition are left out.
 */
export function compactSchema(ddl: string): string {
  const lines: string[] = []
  let remarks: string[] = []
  let open: { name: string; columns: string[]; remarks: string[] } | undefined
  for (const line of ddl.split('\n')) {
    const begin = /^CREATE TABLE (.+) \($/.exec(line)?.[1]
    if (begin !== undefined) {
      open = {
        name: begin,
        columns: [],
        remarks: remarks.filter((remark) => !/^\S+ is a view with these columns:$/.test(remark)),
      }
      remarks = []
    } else if (open !== undefined && line.startsWith('  ')) {
      open.columns.push(shortColumn(line))
    } else if (line === ');' && open !== undefined) {
      lines.push(
        `${open.name} (${open.columns.join(', ')})${open.remarks.length === 0 ? '' : ` -- ${open.remarks.join(' ')}`}`,
      )
      open = undefined
    } else if (line.startsWith('-- PRIMARY KEY ') && lines.length > 0) {
      lines.push(insertKey(lines.pop() ?? '', line.slice('-- PRIMARY KEY '.length)))
    } else if (line.startsWith('-- ') && !line.startsWith('-- index: ')) {
      remarks.push(line.slice(3))
    } else if (line === '') {
      remarks = []
    }
  }
  return lines.join('\n')
}

/** `  height bigint NOT NULL, -- Block height.` is `height int8`. */
function shortColumn(line: string): string {
  const column = line
    .trim()
    .replace(/,? -- .*$/, '')
    .replace(/,$/, '')
    .replace(/ NOT NULL$/, '')
  return shortTypes.reduce((text, [long, short]) => text.replace(long, short), column)
}

function insertKey(line: string, key: string): string {
  const end = line.indexOf(') -- ')
  return end === -1 ? `${line} key ${key}` : `${line.slice(0, end + 1)} key ${key}${line.slice(end + 1)}`
}
