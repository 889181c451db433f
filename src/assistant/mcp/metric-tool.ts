import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { measureNames, measureOf } from '../../measures/measures.ts'
import {
  advertised,
  failedWith,
  failureFields,
  noFailure,
  readingClosedWorld,
  registerTool,
  toolResult,
} from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import type { Explorer } from './explorer.ts'

export const metricToolName = 'get_metric'

const maxPoints = 400

const pointFields = z.object({
  timestamp: z.string().describe('Start of the period, UTC.'),
  value: z.string().nullable().describe('Exact; null if unknown.'),
})
const seriesFields = {
  metric: z.string(),
  definition: z.string(),
  unit: z.string(),
  grain: z.string(),
  key: z.string().nullable(),
  from: z.string().nullable().describe('First day, UTC; null without indexed days in the range.'),
  to: z.string().nullable(),
  sql: z.string().nullable().describe('SQL of the series, for run_indexer_sql.'),
  points: z.array(pointFields).describe(`Earliest first. At most the newest ${maxPoints}.`),
}
const metricOutput = advertised(
  z.object({
    series: z
      .object({ ...seriesFields, truncated: z.boolean().describe('True if earlier points are omitted.') })
      .nullable(),
    ...failureFields,
  }),
)
const metricAnswer = z.object({ data: z.tuple([z.object(seriesFields)]) })

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-01-31')
  .optional()
const metricSchema = z.strictObject({
  name: z.enum(measureNames, 'must be a metric of the description'),
  from: day.describe('First day, UTC. Default: 90 days, or 7 for hours.'),
  to: day.describe('Last day, UTC. Default: the newest indexed day.'),
  grain: z.enum(['hour', 'day', 'week', 'month', 'now']).optional().describe('Default: day; holders have now.'),
  key: z
    .string()
    .max(500)
    .optional()
    .describe('Token or collection, A.<address>.<name>, for metrics about one. Omit it for others.'),
})

const inWords = measureNames
  .map((name) => {
    const { title, unit, dimension } = measureOf(name)
    return `${name} (${title}${unit === 'count' ? '' : `, ${unit}`}${dimension === undefined ? '' : '; needs key'})`
  })
  .join(', ')

export function registerMetricTool(server: McpServer, explorer: Explorer, context: CallContext): void {
  registerTool(server, context, {
    name: metricToolName,
    title: 'Get a metric',
    description:
      'Returns the series of a metric of the chain by hour (31 days at most), day (1,100), week or month. Prefer it ' +
      `to SQL: values equal those of the explorer. Metrics: ${inWords}.`,
    schema: metricSchema,
    output: metricOutput,
    annotations: readingClosedWorld,
    run: async ({ name, ...query }, signal) => {
      const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const path = `/insights/metrics/${name}?${new URLSearchParams(given).toString()}`
      const {
        data: [series],
      } = await explorer.read(path, metricAnswer, { signal, client: context.client })
      const truncated = series.points.length > maxPoints
      return toolResult({ series: { ...series, points: series.points.slice(-maxPoints), truncated }, ...noFailure })
    },
    failed: failedWith({ series: null }),
  })
}
