import { tool } from 'ai'
import type { Tool } from 'ai'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { parseBody } from '../../../platform/http/parse-input.ts'
import { toldInput } from './tool-input-schema.ts'

export const chartTypes = ['bar', 'line', 'pie', 'doughnut', 'horizontalBar'] as const
export type ChartType = (typeof chartTypes)[number]

/** A chart as data, which the page draws. */
export interface Chart {
  readonly chartType: ChartType
  readonly title: string
  readonly labels: readonly string[]
  readonly datasets: readonly { readonly label: string; readonly data: readonly number[] }[]
}

/** Limits of a readable chart. */
const maxLabels = 200
const maxDatasets = 12
const maxTextCharacters = 200

const text = (name: string): z.ZodString =>
  z.string(`must be a text: the ${name}`).max(maxTextCharacters, `must have at most ${maxTextCharacters} characters`)

/** SQL rows have big numbers as strings, which models pass on. */
const number = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/)
      .transform(Number)
      .pipe(z.number()),
  ],
  'must be a number, without separators and units',
)

const schema = z.strictObject(
  {
    chartType: z.enum(chartTypes, `must be one of ${chartTypes.join(', ')}`),
    title: text('title').min(1, 'must not be empty').describe('What is shown, with its unit.'),
    labels: z
      .array(z.union([text('label'), z.number().transform(String)], 'must be a text'), 'must be a list of texts')
      .min(1, 'must not be empty')
      .max(maxLabels, `must have at most ${maxLabels} labels: aggregate, or take fewer rows`)
      .describe('One for each point, bar or slice; days as 2026-11-22, in their order.'),
    datasets: z
      .array(
        z.strictObject(
          {
            label: text('label').describe('What the numbers are, with their unit.'),
            data: z
              .array(number, 'must be a list of numbers')
              .describe('As many numbers as there are labels, in their order.'),
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

/** `createChart`: checks a chart for the page to draw. */
export const createChart: Tool<unknown, Chart> = tool({
  description:
    'Draws a chart below the answer. Use it when numbers over time, a ranking or shares of a whole are easier ' +
    'to see than to read, with numbers that a tool returned. ' +
    'line for time, bar for a few categories, horizontalBar for rankings with long names, pie or doughnut for ' +
    'shares of a whole with one dataset and at most eight slices.',
  inputSchema: toldInput(schema),
  execute: (input) => readChart(input),
})

/** @throws ApiError 400 `invalid-field` */
export function readChart(input: unknown): Chart {
  const chart = parseBody(schema, input)
  const { chartType, labels, datasets } = chart
  datasets.forEach(({ data }, i) => {
    if (data.length === labels.length) return
    const problem =
      `Field "datasets[${i}].data" has ${data.length} numbers for ${labels.length} labels: give one number for ` +
      'each label.'
    throw new ApiError(400, 'invalid-field', problem, { field: `datasets[${i}].data` })
  })
  if (chartType !== 'pie' && chartType !== 'doughnut') return chart
  const [dataset, ...others] = datasets
  if (others.length > 0)
    throw new ApiError(
      400,
      'invalid-field',
      `A ${chartType} shows one dataset, and ${datasets.length} were given: take bar for several.`,
      { field: 'datasets' },
    )
  if (dataset?.data.some((value) => value < 0) === true) {
    throw new ApiError(
      400,
      'invalid-field',
      `A ${chartType} shows shares of a whole, which are not negative: take bar.`,
      { field: 'datasets[0].data' },
    )
  }
  if (dataset?.data.every((value) => value === 0) === true) {
    throw new ApiError(400, 'invalid-field', `A ${chartType} of zeros shows nothing: say so in words.`, {
      field: 'datasets[0].data',
    })
  }
  return chart
}
