import type { EvaluatedQuestion } from './evaluate.ts'

/** How a model did: how many answers are right, and what each of the others lacks. */
export function modelReport(name: string, results: readonly EvaluatedQuestion[]): string[] {
  const right = results.filter(({ outcome }) => outcome === 'right')
  const versions = [...new Set(results.map(({ promptVersion }) => promptVersion))].filter(
    (version) => version !== undefined,
  )
  const sorted = results.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b)
  return [
    `${name}: ${right.length} of ${results.length} right, execution accuracy ${percent(right.length, results.length)}`,
    `  prompts ${versions.join(', ') || 'unknown'}; median ${seconds(sorted[Math.floor(sorted.length / 2)])}, slowest ${seconds(sorted.at(-1))}`,
    ...counted(
      'right at the first statement',
      right.filter(({ attempts }) => attempts === 1),
    ),
    ...counted(
      'right after mending',
      right.filter(({ attempts }) => attempts > 1),
    ),
    ...counted(
      'right with other columns',
      right.filter(({ hasOtherColumns }) => hasOtherColumns),
    ),
    ...targets(results),
    ...results.filter(({ outcome }) => outcome !== 'right').flatMap(missedLines),
  ]
}

/** A result as JSON has it. */
export function plainResult({ gold: { id, target, question }, ...result }: EvaluatedQuestion): Record<string, unknown> {
  return { id, target, question, ...result }
}

/** What came of a question instead of what should have. */
export function missedLines({ gold, outcome, overlap, failure, sql }: EvaluatedQuestion): string[] {
  const near = outcome === 'wrong' && overlap > 0 ? `, ${percent(overlap, 1)} of the values (F1)` : ''
  return [
    `  ${gold.id} (${gold.target}): ${outcome}${near}`,
    `    ${gold.question}`,
    ...(failure === undefined ? [] : [`    ${oneLine(failure)}`]),
    ...(sql === undefined ? [] : [`    ${oneLine(sql)}`]),
  ]
}

function targets(results: readonly EvaluatedQuestion[]): string[] {
  const names = [...new Set(results.map(({ gold }) => gold.target))]
  return names.map((target) => {
    const own = results.filter(({ gold }) => gold.target === target)
    const right = own.filter(({ outcome }) => outcome === 'right').length
    return `  ${target}: ${right} of ${own.length} (${percent(right, own.length)})`
  })
}

function counted(label: string, results: readonly EvaluatedQuestion[]): string[] {
  return results.length === 0 ? [] : [`  ${label}: ${results.length}`]
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${(ms / 1000).toFixed(2)} s`
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
