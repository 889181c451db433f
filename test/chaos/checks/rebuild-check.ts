import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { DerivedComparison } from '../../../src/farm/rebuild/compare-derived.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { repositoryRoot } from '../../support/repository.ts'
import type { Findings } from '../report/findings.ts'

/**
 * `npm run verify -- --rebuild`: derives everything a second time and compares. @returns what was compared, in words
 */
export async function checkRebuild(databaseUrl: string, head: number, findings: Findings): Promise<string> {
  const child = spawn(process.execPath, ['scripts/farm.ts', 'verify', '--rebuild', '--json'], {
    cwd: repositoryRoot,
    env: { ...bareEnvironment(), DB_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  if (child.exitCode !== 0 && !output.includes('"tables"')) {
    findings.add('rebuild', `npm run verify ended with ${child.exitCode}: ${(errors || output).slice(-2000)}`)
    return 'nothing'
  }
  const { isEqual, heights, tables } = JSON.parse(output) as DerivedComparison
  for (const { table, differences, first } of tables.filter((one) => one.differences > 0)) {
    findings.add(
      'rebuild',
      `${table}: ${differences} rows differ from a second derivation; first ${JSON.stringify(first[0])}`,
    )
  }
  const isWhole = heights.length === 1 && heights[0]?.from === 0 && heights[0].to === head + 1
  if (!isWhole) findings.add('rebuild', `only the heights ${JSON.stringify(heights)} could be compared`)
  if (!isEqual && tables.every(({ differences }) => differences === 0))
    findings.add('rebuild', 'the comparison says that something differs')
  return `${tables.length} tables, ${tables.reduce((sum, { kept }) => sum + kept, 0)} rows`
}
