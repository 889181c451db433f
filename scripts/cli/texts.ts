import { stripVTControlCharacters, styleText } from 'node:util'
import type { HeightRange, HeightSet } from '../../src/platform/ranges.ts'

// Heights of a range are printed as first and last.

export function count(number: number): string {
  return number.toLocaleString('en-US')
}

export function heights({ from, to }: HeightRange): string {
  return to - from === 1 ? String(from) : `${from} to ${to - 1}`
}

const maxShownRanges = 4

export function heightSet(set: HeightSet): string {
  if (set.length === 0) return 'none'
  const shown = set.slice(0, maxShownRanges).map(heights).join(', ')
  return set.length > maxShownRanges ? `${shown} and ${count(set.length - maxShownRanges)} more ranges` : shown
}

/** `1 range`, `2 ranges`. */
export function pluralize(number: number, one: string, more = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : more}`
}

/** `3 d 4 h`, `5 min 6 s`, `7 s`. */
export function duration(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const [unit, length] of units) {
    const whole = Math.floor(rest / length)
    rest -= whole * length
    if (whole > 0 || (unit === 's' && parts.length === 0)) parts.push(`${whole} ${unit}`)
  }
  return parts.slice(0, 2).join(' ')
}

export function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  readonly align?: 'right'
}

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
