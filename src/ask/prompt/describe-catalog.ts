import type { CatalogTable } from './read-catalog.ts'

/**
 * Tables and views as text, in the form in which models know definitions: `CREATE TABLE` with comments, and keys, indexes and the
 * size in comments below. Comments are one line each, whatever they hold.
 */
export function describeCatalog(tables: readonly CatalogTable[]): string {
  return tables.map(describeTable).join('\n\n')
}

function describeTable(table: CatalogTable): string {
  const name = `${quoted(table.schema)}.${quoted(table.name)}`
  const columns = table.columns.map(({ name: column, type, isNullable, comment }, i) => {
    const comma = i === table.columns.length - 1 ? '' : ','
    return `  ${quoted(column)} ${type}${isNullable || table.kind === 'view' ? '' : ' NOT NULL'}${comma}${remark(comment)}`
  })
  return [
    ...(table.comment === null ? [] : [`-- ${oneLine(table.comment)}`]),
    ...(table.approximateRows === null || table.approximateRows < 1
      ? []
      : [`-- ${rowsInWords(table.approximateRows)}`]),
    ...(table.kind === 'view' ? [`-- ${name} is a view with these columns:`] : []),
    `CREATE TABLE ${name} (`,
    ...columns,
    ');',
    ...[...table.keys, ...table.indexes.map((index) => `index: ${index}`)].map((line) => `-- ${oneLine(line)}`),
  ].join('\n')
}

/** Two digits: what a model needs is whether it may read all of a table, and the text should not change with each row. */
function rowsInWords(rows: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(rows)) - 1)
  return `About ${(Math.round(rows / unit) * unit).toLocaleString('en-US')} rows.`
}

function remark(comment: string | null): string {
  return comment === null ? '' : ` -- ${oneLine(comment)}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** As it has to be written in a statement. */
function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
