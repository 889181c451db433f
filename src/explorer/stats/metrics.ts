import { sql } from 'slonik'
import { z } from 'zod'
import { defaultGrain, measureNames, measureOf } from '../../measures/measures.ts'
import type { Grain, MeasureName } from '../../measures/measures.ts'
import { seriesSql } from '../../measures/series.ts'
import { ApiError } from '../../platform/errors.ts'
import { timestampFormat } from '../formats.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { contractParameter, dayFormat, dayRangeParameters, resolveDays } from '../parameters.ts'
import type { DaySpan } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { readIndexedDays, seriesFragment } from './insights.ts'

const grains = ['hour', 'day', 'week', 'month', 'now'] as const satisfies readonly Grain[]
const grainFormat = z
  .enum(grains, `must be one of ${grains.join(', ')}`)
  .describe('`now`: one point with the current value.')

const fields = {
  metric: z.string().describe('Name.'),
  title: z.string(),
  definition: z.string(),
  unit: z.string().describe('`count`, `FLOW`, `USD` and so on.'),
  dimension: z
    .string()
    .nullable()
    .describe('`token` or `collection` if a series is about one, which `key` selects; otherwise null.'),
}

const metricSchema = z
  .strictObject({
    ...fields,
    grains: z.array(grainFormat).describe('Lengths of the periods.'),
    sql: z
      .string()
      .nullable()
      .describe('Statement for the newest 30 days, which the query service runs. Null for a metric with a dimension.'),
  })
  .meta({ id: 'Metric' })

const seriesSchema = z
  .strictObject({
    ...fields,
    grain: grainFormat,
    key: z.string().nullable().describe('Token or collection.'),
    from: dayFormat.nullable().describe('First day; null without indexed days in the range.'),
    to: dayFormat.nullable().describe('Last day.'),
    sql: z.string().nullable().describe('Statement of the series, which the query service runs with the same result.'),
    points: z
      .array(
        z.strictObject({
          timestamp: timestampFormat.describe('Start of the period.'),
          value: z.string().nullable().describe('Exact decimal; null if unknown.'),
        }),
      )
      .describe('Earliest first, including periods without indexed blocks. The first and the last may be incomplete.'),
  })
  .meta({ id: 'MetricSeries' })
type Series = z.output<typeof seriesSchema>

function describeMeasure(name: MeasureName): Pick<Series, keyof typeof fields> {
  const { title, definition, unit, dimension = null } = measureOf(name)
  return { metric: name, title, definition, unit, dimension }
}

function presentMetric(name: MeasureName): z.output<typeof metricSchema> {
  const measure = measureOf(name)
  return {
    ...describeMeasure(name),
    grains: [...measure.grains],
    sql: measure.dimension === undefined ? seriesSql([name], { days: { last: 30 } }) : null,
  }
}

const metrics = defineRoute({
  path: '/insights/metrics',
  operationId: 'listMetrics',
  tag: 'Insights',
  summary: 'Metrics with their definitions and SQL',
  response: listOf(metricSchema, 'Metric'),
  example: wholeList([presentMetric('tx_count')]),
  handler: () => ({ body: wholeList(measureNames.map(presentMetric)), caching: 'minute' }),
})

/** About 750 hours, or three years of days. */
const spans = { hour: { default: 7, max: 31 }, other: { default: 90, max: 1100 } } as const satisfies Readonly<
  Record<string, DaySpan>
>

const pointRow = z.object({ timestamp: z.string(), value: z.string().nullable() })

const metric = defineRoute({
  path: '/insights/metrics/{metric}',
  operationId: 'getMetric',
  cost: 'high',
  tag: 'Insights',
  summary: 'Series of a metric',
  description: `At most ${spans.other.max} days, or ${spans.hour.max} days by hour. Weeks start on Monday.`,
  params: z.object({
    metric: z.enum(measureNames, 'must be a metric of /insights/metrics').describe('Name, as in `/insights/metrics`.'),
  }),
  query: z.object({
    ...dayRangeParameters(spans.other),
    grain: grainFormat.optional().describe('One of the `grains` of the metric. Default: `day`, or `now`.'),
    key: contractParameter().optional().describe('Token or collection, for metrics with a dimension.'),
  }),
  response: singleOf(seriesSchema, 'MetricSeries'),
  example: {
    data: [
      {
        ...describeMeasure('tx_count'),
        grain: 'day',
        key: null,
        from: '2025-07-01',
        to: '2025-07-01',
        sql: seriesSql(['tx_count'], { days: { from: '2025-07-01', to: '2025-07-01' } }),
        points: [{ timestamp: '2025-07-01T00:00:00.000Z', value: '722410' }],
      },
    ],
  },
  handler: async (
    { params: { metric: name }, query: { grain = defaultGrain(name), key, ...requested } },
    { database },
  ) => {
    checkSelection(name, grain, key)
    const days = resolveDays(requested, await readIndexedDays(database), grain === 'hour' ? spans.hour : spans.other)
    const options = days === undefined ? undefined : { days, grain, key }
    const points =
      options === undefined
        ? []
        : await database.any(sql.type(pointRow)`
            select period::timestamp at time zone 'UTC' as timestamp, ${sql.identifier([name])}::text as value
            from (${seriesFragment([name], options)}) as series
            order by period
          `)
    const series = {
      ...describeMeasure(name),
      grain,
      key: key ?? null,
      from: days?.from ?? null,
      to: days?.to ?? null,
      sql: options === undefined ? null : seriesSql([name], options),
      points: [...points],
    }
    return { body: { data: [series] }, caching: 'minute' }
  },
})

/** @throws ApiError 400 */
function checkSelection(name: MeasureName, grain: Grain, key: string | undefined): void {
  const { grains: possible, dimension } = measureOf(name)
  if (!possible.includes(grain)) throw invalid('grain', `must be one of ${possible.join(', ')} for ${name}`)
  if (dimension === undefined && key !== undefined) throw invalid('key', `must be omitted: ${name} has no dimension`)
  if (dimension !== undefined && key === undefined) throw invalid('key', `must be a ${dimension} for ${name}`)
}

function invalid(field: string, problem: string): ApiError {
  return new ApiError(400, 'invalid-parameter', `Parameter "${field}" ${problem}.`, { field })
}

export const metricRoutes = [metrics, metric]
