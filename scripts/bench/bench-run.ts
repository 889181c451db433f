import { figureKinds } from './report/figures.ts'
import type { Growth, Measured } from './report/history.ts'
import { numberText } from './report/number-text.ts'
import { isTargetReached, targetText, timesText } from './report/ratio.ts'

/** How much of everything is done. */
export interface BenchSize {
  readonly decodeSeconds: number
  readonly fetchRounds: number
  /** Of each round of those that the node has to make. */
  readonly madeBlocks: number
  readonly ingestBlocks: number
  readonly ingestRuns: number
  readonly threadBlocks: number
  readonly threadRuns: number
  /** Blocks of the small database and of the large one, ten times as many. */
  readonly fewBlocks: number
  readonly manyBlocks: number
  readonly emptyRanges: number
  readonly headBlocks: number
  readonly headIntervalMs: number
  /** Of each case of the API. */
  readonly apiSeconds: number
  readonly feedClients: number
  readonly feedSeconds: number
  readonly deliveries: number
  readonly webhookSeconds: number
  readonly signIns: number
  readonly kills: number
}

export const benchSizes = {
  full: {
    decodeSeconds: 0.3,
    fetchRounds: 9,
    madeBlocks: 2000,
    ingestBlocks: 5000,
    ingestRuns: 3,
    threadBlocks: 1000,
    threadRuns: 5,
    fewBlocks: 1000,
    manyBlocks: 10_000,
    emptyRanges: 400,
    headBlocks: 60,
    headIntervalMs: 500,
    apiSeconds: 3,
    feedClients: 10_000,
    feedSeconds: 5,
    deliveries: 10_000,
    webhookSeconds: 12,
    signIns: 5000,
    kills: 3,
  },
  quick: {
    decodeSeconds: 0.1,
    fetchRounds: 3,
    madeBlocks: 600,
    ingestBlocks: 1000,
    ingestRuns: 1,
    threadBlocks: 200,
    threadRuns: 3,
    fewBlocks: 200,
    manyBlocks: 2000,
    emptyRanges: 150,
    headBlocks: 15,
    headIntervalMs: 300,
    apiSeconds: 0.6,
    feedClients: 2000,
    feedSeconds: 1,
    deliveries: 2000,
    webhookSeconds: 4,
    signIns: 1000,
    kills: 1,
  },
} as const satisfies Record<string, BenchSize>

const labelWidth = 50
const valueWidth = 26
const limitWidth = 60

/** Takes what the parts measure, and prints each figure as soon as it is known. */
export class BenchSheet {
  readonly size: BenchSize
  readonly figures: Record<string, Measured> = {}
  blocks: Growth['blocks'] = []
  requests: Growth['requests'] = { sizes: [], cases: {} }

  constructor(size: BenchSize) {
    this.size = size
  }

  /**
   * Notes a figure.
   * @param limit in the same unit
   * @throws for an id that the page does not know, and for what is no number: better now than when all is to be written down
   */
  note(id: string, value: number, limit?: number): void {
    const kind = figureKinds.get(id)
    if (kind === undefined) throw new Error(`There is no figure ${id}`)
    if (![value, limit ?? 0].every(Number.isFinite))
      throw new Error(`${id} was not measured: ${value}, its limit ${limit}`)
    const measured: Measured = { value, ...(limit === undefined ? {} : { limit }) }
    this.figures[id] = measured
    const limitText =
      limit === undefined ? '' : `${timesText(kind, measured)} as ${numberText(limit)} (${kind.limit ?? ''})`
    const isReached = isTargetReached(kind, measured)
    const verdict = isReached === undefined ? '' : `target ${targetText(kind)}: ${isReached ? 'ok' : 'NOT REACHED'}`
    print(
      `  ${kind.label.padEnd(labelWidth)} ${`${numberText(value)} ${kind.unit}`.padEnd(valueWidth)} ${limitText.padEnd(limitWidth)} ${verdict}`.trimEnd(),
    )
  }

  /** A line that is not kept. */
  say(text: string): void {
    print(`  ${text}`)
  }
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
