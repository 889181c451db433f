import { tool } from 'ai'
import type { Tool } from 'ai'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { parseBody } from '../../../platform/http/parse-input.ts'
import { toolInputSchema } from './tool-input-schema.ts'

export const chartTypes = ['bar', 'line', 'pie', 'doughnut', 'horizontalBar'] as const
export type ChartType = (typeof chartTypes)[number]

export interface Chart {
  readonly chartType: ChartType
  readonly title: string
  readonly labels: readonly string[]
  readonly datasets: readonly { readonly label: string; readonly data: readonly number[] }[]
}

const maxLabels = 200
const maxDatasets = 12
const maxTextCharacters = 200

const text = (name: string): z.ZodString =>
  z.string(`must be a string: the ${name}`).max(maxTextCharacters, `must have at most ${maxTextCharacters} characters`)

/** SQL results have large numbers as strings, which models pass on. */
const number = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/)
      .transform(Number)
      .pipe(z.number()),
  ],
  'must be a number without separators or units',
)

const schema = z.strictObject(
  {
    chartType: z.enum(chartTypes, `must be one of ${chartTypes.join(', ')}`),
    title: text('title').min(1, 'must not be empty').describe('Title, with the unit.'),
    labels: z
      .array(z.union([text('label'), z.number().transform(String)], 'must be a string'), 'must be a list of strings')
      .min(1, 'must not be empty')
      .max(maxLabels, `must have at most ${maxLabels} labels: aggregate, or use fewer rows`)
      .describe('One per point, bar or slice, in order; days as 2026-11-22.'),
    datasets: z
      .array(
        z.strictObject(
          {
            label: text('label').describe('Name of the series, with the unit.'),
            data: z.array(number, 'must be a list of numbers').describe('One number per label, in order.'),
          },
          'must be an object with label and data',
        ),
        'must be a list',
      )
      .min(1, 'must not be empty')
      .max(maxDatasets, `must have at most ${maxDatasets} datasets`),
  },
  'must be an object',
)

export const createChart: Tool<unknown, Chart> = tool({
  description:
    'Draws a chart below the answer. Use it for time series, rankings and shares of a whole, with numbers that a ' +
    'tool returned. Use line for time series, bar for a few categories, horizontalBar for rankings with long ' +
    'names, and pie or doughnut for shares of a whole with one dataset and at most eight slices.',
  inputSchema: toolInputSchema(schema),
  execute: (input) => readChart(input),
})

/** @throws ApiError 400 `invalid-field` */
export function readChart(input: unknown): Chart {
  const chart = parseBody(schema, input)
  const { chartType, labels, datasets } = chart
  datasets.forEach(({ data }, i) => {
    if (data.length === labels.length) return
    const problem =
      `Field "datasets[${i}].data" has ${data.length} numbers for ${labels.length} labels. Give ` +
      'one number per label.'
    throw new ApiError(400, 'invalid-field', problem, { field: `datasets[${i}].data` })
  })
  if (chartType !== 'pie' && chartType !== 'doughnut') return chart
  const [dataset, ...others] = datasets
  if (others.length > 0)
    throw new ApiError(
      400,
      'invalid-field',
      `A ${chartType} chart takes one dataset, got ${datasets.length}. Use bar for several.`,
      { field: 'datasets' },
    )
  if (dataset?.data.some((value) => value < 0) === true) {
    throw new ApiError(400, 'invalid-field', `A ${chartType} chart needs non-negative values. Use bar.`, {
      field: 'datasets[0].data',
    })
  }
  if (dataset?.data.every((value) => value === 0) === true) {
    throw new ApiError(
      400,
      'invalid-field',
      `A ${chartType} chart needs a non-zero value. Describe the result in words.`,
      {
        field: 'datasets[0].data',
      },
    )
  }
  return chart
}
