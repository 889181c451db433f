import { missedLines } from '../report.ts'
import type { EvaluatedQuestion } from '../evaluate.ts'
import type { Scenario, ScenarioGroup } from './scenario.ts'

/** What came of the questions of a scenario. */
export interface ScenarioResult {
  readonly scenario: Pick<Scenario, 'name' | 'about' | 'expected'>
  readonly results: readonly EvaluatedQuestion[]
}

/** All scenarios over the protocol of a provider. */
export interface ProtocolRun {
  readonly protocol: string
  readonly results: readonly ScenarioResult[]
}

/**
 * Whether the service did as it has to, whatever the model did: a line for each scenario with a column for each
 * protocol.
 */
export function replayReport(groups: readonly ScenarioGroup[], runs: readonly ProtocolRun[]): string[] {
  const nameWidth = Math.max(...groups.flatMap(({ scenarios }) => scenarios.map(({ name }) => name.length)))
  const protocols = runs.map(({ protocol }) => protocol.padEnd(protocolWidth(protocol)))
  return groups.flatMap(({ title, scenarios }) => {
    const lines = scenarios.flatMap((scenario) => scenarioLines(scenario, runs, nameWidth))
    return lines.length === 0
      ? []
      : ['', title, `       ${' '.repeat(nameWidth)}  ${protocols.join('  ')}  has to come`, ...lines]
  })
}

/** The questions of a scenario of which came what should not. */
export function unexpectedIn({ scenario, results }: ScenarioResult): EvaluatedQuestion[] {
  return results.filter(({ outcome }) => outcome !== scenario.expected)
}

/** None where no question was put in this way, as with a choice of questions. */
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
    `  ${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(nameWidth)}  ${cells.join('  ')}  ${expected.replace('failed: ', '').padEnd(outcomeWidth)} ${about}`,
    ...faults.map((line) => `       ${line}`),
  ]
}

function cell(result: ScenarioResult | undefined): string {
  return result === undefined
    ? '-'
    : `${result.results.length - unexpectedIn(result).length} of ${result.results.length}`
}

/** As wide as its name, and as the counts below it. */
function protocolWidth(protocol: string): number {
  return Math.max(protocol.length, '74 of 74'.length)
}

const outcomeWidth = 'model-without-sql'.length
