/** A statement that differs from an accepted one by a common mistake. */
export interface NearMiss {
  readonly change: string
  readonly sql: string
}

/** Each rule replaces one place of a statement at a time. */
const changes: readonly (readonly [change: string, pattern: RegExp, replacement: string])[] = [
  [
    'without a condition',
    /\bwhere (?:(?!\b(?:and|group by|order by|having|limit)\b|[()]).)+(?=\)|$| group by| order by| limit)/gs,
    '',
  ],
  ['without the first of its conditions', /\bwhere (?:(?! and |[()]).)+ and /gs, 'where '],
  [
    'without the last of its conditions',
    / and (?:(?! and | group by| order by| limit|[()]).)+(?=\)|$| group by| order by| limit)/gs,
    '',
  ],
  ['without NOT', /\bnot (?=\w)/g, ''],
  ['the other end first', / desc\b/g, ''],
  ['the largest instead of the sum', /\bsum\(/g, 'max('],
  ['the smallest instead of the largest', /\bmax\(/g, 'min('],
  ['each once instead of all', /\bcount\(distinct /g, 'count('],
  ['one row more', /\blimit 1\b/g, 'limit 2'],
  ['the place before', /\boffset 2\b/g, 'offset 1'],
  ['at least instead of more than', / > (?=\d)/g, ' >= '],
  ['not grouped', / group by .+?(?=\)|$| order by| having)/gs, ''],
]

/** One change in one place each. */
export function nearMisses(sql: string): NearMiss[] {
  return changes.flatMap(([change, pattern, replacement]) =>
    [...sql.matchAll(pattern)].map(({ 0: { length }, index }) => ({
      change,
      sql: sql.slice(0, index) + replacement + sql.slice(index + length),
    })),
  )
}
