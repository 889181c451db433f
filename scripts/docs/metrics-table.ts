import { Metrics } from '../../src/base/metrics.ts'
import { markdownTable } from './markdown.ts'

interface Described {
  readonly name: string
  readonly help: string
  readonly type: string
}

/** Every metric that flowfarm itself counts: for `docs/operations.md`. */
export async function metricsTable(): Promise<string> {
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
