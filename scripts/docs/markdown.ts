/** A line of every page that a script writes. */
export function madeFrom(source: string): string {
  return `This page is made from ${source} by \`npm run docs\`; a test fails when it is not current.`
}

/** A table; what would end a cell is escaped. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)]
}

/** Text that Markdown would take for HTML, as text; what stands in backticks is left as it is. */
export function plainText(text: string): string {
  return text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`')
}
