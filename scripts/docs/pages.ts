import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chatApiInfo, chatRoutes } from '../../src/assistant/chat/chat-server.ts'
import { askApiInfo, askRoutes } from '../../src/assistant/query/http/server.ts'
import { describeExplorer, routes } from '../../src/explorer/routes.ts'
import { documentedRoutes, editorApiInfo } from '../../src/editor/editor-server.ts'
import { operatorApiInfo, operatorRoutes } from '../../src/operator/routes.ts'
import { settingGroups } from '../../src/help.ts'
import { describeApi } from '../../src/platform/http/openapi.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { walletApiInfo, walletRoutes } from '../../src/wallet/server.ts'

import { pageTypes } from './page-types.ts'
import { madeFrom, markdownTable, tablesPage } from './tables-page.ts'

const root = resolve(import.meta.dirname, '../..')

/** Between these lines a script writes, and nobody else. */
const metricsBegin = '<!-- metrics, made by npm run docs -->'
const metricsEnd = '<!-- end -->'

/** The pages that are made from code, as they ought to be, by their path from the root. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  return new Map([
    ['docs/configuration.md', configurationPage()],
    [
      'dashboards/explorer/answers.gen.ts',
      pageTypes(describeExplorer(routes.filter(({ access }) => access === 'none'))),
    ],
    ['dashboards/ask/answers.gen.ts', pageTypes(describeApi(askRoutes, askApiInfo))],
    ['dashboards/chat/answers.gen.ts', pageTypes(describeApi(chatRoutes, chatApiInfo))],
    ['dashboards/operator/answers.gen.ts', pageTypes(describeApi(operatorRoutes, operatorApiInfo))],
    ['dashboards/wallet/answers.gen.ts', pageTypes(describeApi(walletRoutes, walletApiInfo))],
    ['dashboards/editor/answers.gen.ts', pageTypes(describeApi(documentedRoutes, editorApiInfo))],
    ['docs/tables.md', tablesPage(read('migrations/schema.txt'))],
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

interface Described {
  readonly name: string
  readonly help: string
  readonly type: string
}

/** Every metric that flowfarm itself counts: for `docs/operations.md`. */
async function metricsTable(): Promise<string> {
  const { registry } = new Metrics()
  const described = (await registry.getMetricsAsJSON()) as unknown as readonly Described[]
  const rows = described.map(({ name, help, type }) => {
    const labels = labelsOf(registry.getSingleMetric(name))
    return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help]
  })
  return markdownTable(['Metric', 'Kind', 'Labels', 'Meaning'], rows).join('\n')
}

/** prom-client keeps the names of the labels, and does not say so in its types. */
function labelsOf(metric: object | undefined): readonly string[] {
  return metric !== undefined && 'labelNames' in metric ? (metric.labelNames as readonly string[]) : []
}

/** `docs/configuration.md`: every variable of the environment. */
function configurationPage(): string {
  const lines = [
    '# Configuration',
    '',
    'Every variable of the environment that flowfarm reads. An empty one counts as absent. All bad values are ' +
      'reported at',
    'once, and the program then ends with exit code 1.',
    '',
    madeFrom('`src/config.ts`'),
  ]
  for (const [group, entries] of settingGroups()) {
    lines.push('', `## ${group}`, '')
    lines.push(
      ...markdownTable(
        ['Variable', 'Type', 'Unit', 'Default', 'Meaning'],
        entries.map(([name, s]) => [
          `\`${name}\``,
          s.type,
          s.unit ?? '',
          s.defaultText,
          `${s.description}${s.alias === undefined ? '' : ` Also \`${s.alias}\`.`}${s.secret ? ' Never logged.' : ''}`,
        ]),
      ),
    )
  }
  return `${lines.join('\n')}\n`
}
