import type { Growth } from './history.ts'

/** A cost at two sizes of the database. */
export interface Grown {
  readonly few: number
  readonly many: number
  /** Processor time, ms, of Node and PostgreSQL together. */
  readonly fewMs: number
  readonly manyMs: number
}

/** How many times as much the same work costs on more data: 1 is flat. */
export function timesGrown({ fewMs, manyMs }: Pick<Grown, 'fewMs' | 'manyMs'>): number {
  return manyMs / fewMs
}

/**
 * A block near the size at which a tenth of the blocks were there, and a block of the last stretch. The first stretch is left out: it
 * holds the start of the program. Undefined of fewer than two stretches.
 */
export function grownBlock(blocks: Growth['blocks']): Grown | undefined {
  const late = blocks.at(-1)
  if (late === undefined || blocks.length < 2) return undefined
  const early = blocks.slice(1).find(({ upTo }) => upTo >= late.upTo / 10) ?? late
  const sum = ({ nodeMs, postgresMs }: Growth['blocks'][number]): number => nodeMs + postgresMs
  return { few: early.upTo, many: late.upTo, fewMs: sum(early), manyMs: sum(late) }
}

/** A request of each case of the API, by its id, on the smallest and on the largest database. */
export function grownRequests({ sizes, cases }: Growth['requests']): ReadonlyMap<string, Grown> {
  return new Map(
    Object.entries(cases).map(([id, list]) => [
      id,
      {
        few: sizes[0] ?? 0,
        many: sizes.at(-1) ?? 0,
        fewMs: list[0]?.ms ?? Number.NaN,
        manyMs: list.at(-1)?.ms ?? Number.NaN,
      },
    ]),
  )
}
