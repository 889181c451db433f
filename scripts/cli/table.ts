import { stripVTControlCharacters } from 'node:util'

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Numbers stand at the right. Default left. */
  readonly align?: 'right'
}

/** A table of text with a line of titles; a last column on the left is not padded. Empty for no rows. */
export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const cells = rows.map((row) => columns.map(({ value }) => value(row)))
  const lines = [columns.map(({ title }) => title), ...cells]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => widthOf(line[i] ?? ''))))
  const texts = lines.map((line) =>
    columns
      .map(({ align }, i) => {
        const text = line[i] ?? ''
        const padding = ' '.repeat((widths[i] ?? 0) - widthOf(text))
        return align === 'right' ? padding + text : text + padding
      })
      .join('  ')
      .trimEnd(),
  )
  return `${texts.join('\n')}\n`
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length
}
