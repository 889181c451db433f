import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { historyPath } from '../bench/report/performance-page.ts'
import { performancePages } from '../bench/report/performance-pages.ts'
import { apiPage } from './api-page.ts'
import { configurationPage } from './configuration-page.ts'
import { metricsTable } from './metrics-table.ts'
import { pageAnswers } from './page-answers.ts'
import { tablesPage } from './tables-page.ts'

const root = resolve(import.meta.dirname, '../..')

/** Between these lines a script writes, and nobody else. */
const metricsBegin = '<!-- metrics, made by npm run docs -->'
const metricsEnd = '<!-- end -->'

/** The pages that are made from code, as they ought to be, by their path from the root. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  return new Map([
    ['docs/configuration.md', configurationPage()],
    ['docs/api.md', apiPage()],
    ['dashboards/explorer/gen/answers.ts', pageAnswers()],
    ['docs/tables.md', tablesPage(read('migrations/schema.txt'))],
    ...performancePages(read(historyPath)),
    ['docs/operations.md', withMetrics(read('docs/operations.md'), await metricsTable())],
  ])
}

function withMetrics(page: string, table: string): string {
  const [before, rest] = page.split(metricsBegin)
  const after = rest?.split(metricsEnd)[1]
  if (before === undefined || after === undefined)
    throw new Error('docs/operations.md has lost the place of its table of metrics')
  return `${before}${metricsBegin}\n\n${table}\n\n${metricsEnd}${after}`
}
