import type { StoredFeedback } from '../../src/assistant/chat/records/chat-feedback.ts'
import type { EvaluatedQuestion } from './evaluate.ts'
import type { ChatResult } from './chat-cases.ts'
import type { Scenario, ScenarioGroup } from './scenarios.ts'

export function modelReport(name: string, results: readonly EvaluatedQuestion[]): string[] {
  const right = results.filter(({ outcome }) => outcome === 'right')
  const versions = [...new Set(results.map(({ promptVersion }) => promptVersion))].filter(
    (version) => version !== undefined,
  )
  const sorted = results.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b)
  return [
    `${name}: ${right.length} of ${results.length} right, execution accuracy ${percent(right.length, results.length)}`,
    `  prompts ${versions.join(', ') || 'unknown'}; median ${seconds(sorted[Math.floor(sorted.length / 2)])}, ` +
      `slowest ${seconds(sorted.at(-1))}`,
    ...counted(
      'right with the first statement',
      right.filter(({ attempts }) => attempts === 1),
    ),
    ...counted(
      'right after corrections',
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

export function plainResult({ gold: { id, target, question }, ...result }: EvaluatedQuestion): Record<string, unknown> {
  return { id, target, question, ...result }
}

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

function counted(label: string, results: readonly unknown[]): string[] {
  return results.length === 0 ? [] : [`  ${label}: ${results.length}`]
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${(ms / 1000).toFixed(2)} s`
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

export function chatReport(name: string, results: readonly ChatResult[]): string[] {
  const kinds = Map.groupBy(results, ({ chatCase: { kind } }) => kind)
  return [...kinds].flatMap(([kind, own], i) => {
    const failing = own.filter(({ problem }) => problem !== undefined)
    return [
      ...(i === 0 ? ['', `Chat with ${name}, cases as expected:`] : []),
      `  ${kind}: ${own.length - failing.length} of ${own.length}`,
      ...failing.map(({ chatCase: { id, turns }, problem = '' }) => `    ${id}: ${oneLine(problem)} (${turns.at(-1)})`),
    ]
  })
}

/** Texts of users: without control characters. */
export function feedbackReport(rated: readonly StoredFeedback[]): string[] {
  const good = rated.filter(({ rating }) => rating === 'good').length
  const reasons = Map.groupBy(rated, ({ rating, reason }) => `${rating}: ${reason}`)
  return [
    `${rated.length} rated answers: ${good} good (${percent(good, rated.length)}), ${rated.length - good} bad`,
    ...[...reasons].flatMap(([reason, own]) => counted(reason, own)),
    ...rated.flatMap(({ rating, reason, comment, questions, statements, charts, answer, model, createdAt }) => [
      '',
      `${rating} (${reason}) ${createdAt.toISOString()} ${model ?? 'unknown model'}`,
      ...questions.map((question) => `  question: ${oneLine(question)}`),
      ...statements.map(({ target, sql, hasFailed }) => `  ${target}${hasFailed ? ', failed' : ''}: ${oneLine(sql)}`),
      ...charts.map(({ chartType, title }) => `  chart: ${oneLine(`${chartType}, ${title}`)}`),
      ...(answer === '' ? [] : [`  answer: ${oneLine(answer)}`]),
      ...(comment === '' ? [] : [`  comment: ${oneLine(comment)}`]),
    ]),
  ]
}

export interface ScenarioResult {
  readonly scenario: Pick<Scenario, 'name' | 'about' | 'expected'>
  readonly results: readonly EvaluatedQuestion[]
}

export interface ProtocolRun {
  readonly protocol: string
  readonly results: readonly ScenarioResult[]
}

export function replayReport(groups: readonly ScenarioGroup[], runs: readonly ProtocolRun[]): string[] {
  const nameWidth = Math.max(...groups.flatMap(({ scenarios }) => scenarios.map(({ name }) => name.length)))
  const protocols = runs.map(({ protocol }) => protocol.padEnd(protocolWidth(protocol)))
  return groups.flatMap(({ title, scenarios }) => {
    const lines = scenarios.flatMap((scenario) => scenarioLines(scenario, runs, nameWidth))
    return lines.length === 0
      ? []
      : ['', title, `       ${' '.repeat(nameWidth)}  ${protocols.join('  ')}  expected`, ...lines]
  })
}

export function unexpectedIn({ scenario, results }: ScenarioResult): EvaluatedQuestion[] {
  return results.filter(({ outcome }) => outcome !== scenario.expected)
}

function scenarioLines({ name, about, expected }: Scenario, runs: readonly ProtocolRun[], nameWidth: number): string[] {
  const own = runs.map(({ protocol, results }) => ({
    protocol,
    result: results.find(({ scenario }) => scenario.name === name),
  }))
  if (own.every(({ result }) => result === undefined)) return []
  const cells = own.map(({ protocol, result }) => cell(result).padEnd(protocolWidth(protocol)))
  const faults = own.flatMap(({ protocol, result }) => {
    const unexpected = result === undefined ? [] : unexpectedIn(result)
    return unexpected.length === 0 ? [] : [`over ${protocol}:`, ...unexpected.flatMap(missedLines)]
  })
  return [
    `  ${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(nameWidth)}  ${cells.join('  ')}  ` +
      `${expected.replace('failed: ', '').padEnd(outcomeWidth)} ${about}`,
    ...faults.map((line) => `       ${line}`),
  ]
}

function cell(result: ScenarioResult | undefined): string {
  return result === undefined
    ? '-'
    : `${result.results.length - unexpectedIn(result).length} of ${result.results.length}`
}

function protocolWidth(protocol: string): number {
  return Math.max(protocol.length, '74 of 74'.length)
}

const outcomeWidth = 'model-without-sql'.length
