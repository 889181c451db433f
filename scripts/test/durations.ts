import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface FileDuration {
  /** Its path from the root of the repository. */
  readonly file: string
  readonly ms: number
}

/** Files below this are not worth a line, s. */
const minSeconds = 8
const table = join(import.meta.dirname, 'durations.json')

/** Slow files first, by a table of an earlier run, so that no lane runs long after the others; the rest stay in their order. */
export function slowestFirst(files: readonly string[]): string[] {
  const seconds = JSON.parse(readFileSync(table, 'utf8')) as Readonly<Record<string, number>>
  const of = (file: string): number => seconds[relative(process.cwd(), file)] ?? 0
  return files.toSorted((one, other) => of(other) - of(one))
}

export function saveDurations(durations: readonly FileDuration[]): void {
  const slow = durations.filter(({ ms }) => ms >= minSeconds * 1000).toSorted((one, other) => other.ms - one.ms)
  const lines = Object.fromEntries(slow.map(({ file, ms }) => [file, Math.round(ms / 1000)]))
  writeFileSync(table, `${JSON.stringify(lines, null, 2)}\n`)
}
