import { lastPriceSql, measureOf } from './measures.ts'
import type { Dimension, Grain, MeasureName } from './measures.ts'

/** Days `YYYY-MM-DD`, both included; or so many days, ending with the newest indexed one. */
export type Days = { readonly from: string; readonly to: string } | { readonly last: number }

export interface SeriesOptions {
  readonly days: Days
  /** Default: day. Weeks start on Monday; weeks and months that contain an end are complete. */
  readonly grain?: Grain
  /** `A.<address>.<name>`, for measures with a dimension. */
  readonly key?: string | undefined
}

/**
 * SQL without parameters, so that pages, the query service and models run the same text.
 *
 * @param names of one dimension
 *
 * @returns a statement with the columns `period`, which is the start in UTC, and the names, in
 * order. Periods without rows have 0.
 *
 * @throws TypeError for a day, grain or key that the measures do not have
 */
export function seriesSql(names: readonly MeasureName[], options: SeriesOptions): string {
  const { grain = 'day', key } = options
  const dimensions = new Set<Dimension | undefined>()
  for (const name of names) {
    const { dimension, grains } = measureOf(name)
    if (!grains.includes(grain)) throw new TypeError(`${name} has no grain "${grain}"`)
    dimensions.add(dimension)
  }
  const [dimension] = dimensions
  if (dimensions.size !== 1) throw new TypeError(`${names.join(', ')}: must have one dimension`)
  if ((dimension === undefined) !== (key === undefined)) {
    throw new TypeError(`${names.join(', ')}: ${dimension === undefined ? 'has no dimension' : `needs a ${dimension}`}`)
  }
  if (grain === 'now' && key !== undefined) return currentValues(names, key)
  return dimension === undefined || key === undefined
    ? chainSeries(names, options.days, grain)
    : keyedSeries(names, options.days, dimension, key)
}

function chainSeries(names: readonly MeasureName[], days: Days, grain: Grain): string {
  const { first, last } = endsOf(days, grain)
  const bySource = Map.groupBy(names, (name) => measureOf(name).source)
  const parts = [...bySource].map(([source, members]) => {
    const values = members.map((name) => `${measureOf(name).value} as ${name}`)
    return [
      `${source} as (`,
      `  select ${periodOf(grain)} as period,`,
      `    ${values.join(',\n    ')}`,
      `  from ${measureOf(members[0] ?? 'block_count').table}`,
      `  where day between ${first} and ${last}`,
      '  group by 1',
      ')',
    ].join('\n')
  })
  const columns = names.map((name) => {
    const { source, unit, isNullable } = measureOf(name)
    const column = `${source}.${name}`
    return isNullable === true ? column : `coalesce(${column}, ${zeros[unit] ?? '0'}) as ${name}`
  })
  return [
    `with ${[periods(first, last, grain), ...parts].join(', ')}`,
    `select periods.period, ${columns.join(',\n  ')}`,
    `from periods`,
    ...[...bySource.keys()].map((source) => `left join ${source} on ${source}.period = periods.period`),
    'order by periods.period',
  ].join('\n')
}

const zeros: Readonly<Record<string, string>> = { FLOW: '0.00000000', USD: '0.00' }

function currentValues(names: readonly MeasureName[], key: string): string {
  const columns = names.map((name) => {
    const { value, table } = measureOf(name)
    return `coalesce((select ${value} from ${table} where token = ${keyLiteral(key)}), 0) as ${name}`
  })
  return `select (${newestDay(0)}) as period,\n  ${columns.join(',\n  ')}`
}

/** By index: one row an hour, among those of all tokens or collections. */
function keyedSeries(names: readonly MeasureName[], days: Days, dimension: Dimension, key: string): string {
  const { first, last } = endsOf(days, 'day')
  const columns = names.map((name) => `${measureOf(name).value} as ${name}`)
  const name = keyLiteral(key)
  return [
    `with ${periods(first, last, 'day')}`,
    `select d.period, ${columns.join(',\n  ')}`,
    'from periods d',
    'cross join lateral (',
    '  select coalesce(sum(h.activity_count), 0)::bigint as activity_count, coalesce(sum(h.amount), 0) as amount',
    '  from generate_series(0, 23) as of_day (hour)',
    '  cross join lateral (',
    '    select activity_count, amount from app.hourly_activity',
    `    where kind = '${dimension}' and day = d.period and hour = of_day.hour and name = ${name}`,
    '    limit 1',
    '  ) h',
    ') m',
    ...(columns.some((column) => column.includes('p.price'))
      ? [`left join lateral (${lastPriceSql(name, 'd.period')}) p on true`]
      : []),
    'order by d.period',
  ].join('\n')
}

function periods(first: string, last: string, grain: Grain): string {
  const end = grain === 'hour' ? `${last}::timestamp + interval '23 hours'` : `${last}::timestamp`
  return [
    'periods as (',
    `  select period${grain === 'hour' ? '' : '::date as period'}`,
    `  from generate_series(${first}::timestamp, ${end}, interval '1 ${grain}') as p (period)`,
    ')',
  ].join('\n')
}

/** First and last day. */
function endsOf(days: Days, grain: Grain): { readonly first: string; readonly last: string } {
  const { from, to } =
    'last' in days
      ? { from: `(${newestDay(days.last - 1)})`, to: `(${newestDay(0)})` }
      : { from: `${literal(days.from, dayForm)}::date`, to: `${literal(days.to, dayForm)}::date` }
  if (grain === 'hour' || grain === 'day') return { first: from, last: to }
  return {
    first: `date_trunc('${grain}', ${from}::timestamp)::date`,
    last: `(date_trunc('${grain}', ${to}::timestamp) + interval '1 ${grain}' - interval '1 day')::date`,
  }
}

const dayForm = /^\d{4}-\d\d-\d\d$/

function newestDay(before: number): string {
  if (!Number.isInteger(before) || before < 0) throw new TypeError(`${before + 1}: must be a number of days`)
  return `select max(day)${before === 0 ? '' : ` - ${before}`} from app.hourly_stats`
}

function periodOf(grain: Grain): string {
  if (grain === 'day') return 'day'
  if (grain === 'hour') return 'day + make_interval(hours => hour)'
  return `date_trunc('${grain}', day::timestamp)::date`
}

function keyLiteral(key: string): string {
  return literal(key, /^A\.[0-9a-f]{16}(\.\w+){1,2}$/)
}

function literal(text: string, form: RegExp): string {
  if (!form.test(text)) throw new TypeError(`${JSON.stringify(text)}: must match ${String(form)}`)
  return `'${text}'`
}
