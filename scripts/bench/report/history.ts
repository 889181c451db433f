import { z } from 'zod'
import { FatalError } from '../../../src/platform/errors.ts'

const measured = z.strictObject({
  value: z.number(),
  /** In the same unit. */
  limit: z.number().exactOptional(),
})

/** A figure as it was measured. */
export type Measured = z.output<typeof measured>

const conditions = z.strictObject({
  /** ISO 8601, when the run began. */
  at: z.iso.datetime(),
  /** Of the sources; `+` behind it where some were changed. */
  commit: z.string(),
  seconds: z.number(),
  processor: z.string(),
  cores: z.int(),
  memoryGiB: z.number(),
  system: z.string(),
  /** Average of the last minute. */
  loadBefore: z.number(),
  loadAfter: z.number(),
  /** Part of all cores that others used, each time that nothing of the bench ran: before, between the parts, and after. */
  others: z.array(z.number()),
  versions: z.record(z.string(), z.string()),
  settings: z.record(z.string(), z.union([z.string(), z.number()])),
})

/** Where, when and how a run was made. */
export type Conditions = z.output<typeof conditions>

const growth = z.strictObject({
  /** Processor time, ms a block, while the database grew to so many blocks from those before. */
  blocks: z.array(z.strictObject({ upTo: z.int(), nodeMs: z.number(), postgresMs: z.number() })),
  requests: z.strictObject({
    /** Blocks in the database at each measure. */
    sizes: z.array(z.int()),
    /** By case, at each size: processor time of a request, ms of API and PostgreSQL together, and bytes of its answer. */
    cases: z.record(z.string(), z.array(z.strictObject({ ms: z.number(), bytes: z.number() }))),
  }),
})

/** The same work on less and on more data. */
export type Growth = z.output<typeof growth>

const run = z.strictObject({
  conditions,
  mode: z.enum(['full', 'quick']),
  figures: z.record(z.string(), measured),
  growth,
})

/** One run of `npm run bench`: one line of the history. */
export type BenchRun = z.output<typeof run>

/** @throws FatalError `bad-history` that names the line */
export function readHistory(text: string): BenchRun[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (cause) {
      throw badLine(i + 1, 'is no JSON', cause)
    }
    const parsed = run.safeParse(value)
    if (!parsed.success) throw badLine(i + 1, `is no run: ${z.prettifyError(parsed.error)}`, parsed.error)
    return [parsed.data]
  })
}

/** The line of a run, with its end. Figures keep four digits: more is noise. */
export function historyLine(one: BenchRun): string {
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(Number.isInteger(value) ? 15 : 4)) : value
  return `${JSON.stringify(run.parse(one), rounded)}\n`
}

function badLine(line: number, complaint: string, cause: unknown): FatalError {
  return new FatalError('bad-history', `Line ${line} of the history ${complaint}`, { cause })
}
