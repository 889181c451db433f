import { workers } from '../../jobs/index.ts'
import { defaultRetryPolicy } from '../../src/farm/leases/leases.ts'
import type { RetryPolicy } from '../../src/farm/leases/leases.ts'
import { Random } from './random.ts'
import { chains, simulatedOwnWorker } from './recorded-chains.ts'
import type { ChainName } from './recorded-chains.ts'

/** Possible events, and their frequency in histories that include them. */
const eventWeights = {
  forward: 6,
  backward: 4,
  fork: 2,
  start: 3,
  stop: 1,
  kill: 2,
  stall: 4,
  slow: 2,
  cut: 1,
  terminate: 1,
  dropQueue: 1,
  poison: 2,
  cure: 1,
  requeue: 1,
  split: 1,
  skip: 1,
  rederive: 2,
}

export type EventName = keyof typeof eventWeights

/** Decisions made before a history begins. */
export interface HistoryPlan {
  readonly chain: ChainName
  /** The start height of forward ingest. */
  readonly start: number
  readonly queue: 'unreliable' | 'postgres'
  /** Names of the enabled workers, including all followed workers. */
  readonly workers: readonly string[]
  /** An own worker runs. */
  readonly hasOwn: boolean
  readonly steps: number
  /**
   * At the end the chain is rolled back to this height once more, so that later derivation does not
   * hide errors of the rollback.
   */
  readonly finalHeight: number | undefined
  readonly leaseMs: number
  readonly retryPolicy: RetryPolicy
  readonly weights: Readonly<Record<EventName, number>>
}

/**
 * Each history includes only some kinds of events, as combinations can hide the effect of a single
 * one.
 */
export function drawPlan(random: Random): HistoryPlan {
  const chain = random.weighted<ChainName>({ base: 1, a: 2, b: 1, c: 1 })
  const queue = random.weighted({ unreliable: 3, postgres: 1 })
  const weights = Object.fromEntries(
    Object.entries(eventWeights).map(([name, weight]) => [name, random.chance(0.65) ? weight : 0]),
  )
  return {
    chain,
    queue,
    start: random.integer(0, chains[chain].last),
    // Separate random numbers, so that the rest of a plan does not change when workers are added.
    ...drawWorkers(new Random(random.integer(0, 2 ** 31))),
    steps: random.integer(8, 25),
    finalHeight: random.chance(0.4)
      ? random.pick([4, 9, 15, 19].filter((height) => height < chains[chain].last))
      : undefined,
    leaseMs: random.pick([250, 400, 600]),
    retryPolicy: {
      ...defaultRetryPolicy,
      maxRuns: random.pick([2, 4, 21]),
      baseMs: random.integer(2, 30),
      capMs: 100,
      halveAfterRuns: random.integer(1, 3),
    },
    weights: { ...(weights as Record<EventName, number>), forward: eventWeights.forward, start: eventWeights.start },
  }
}

function drawWorkers(random: Random): Pick<HistoryPlan, 'workers' | 'hasOwn'> {
  // Rarely all workers: such a history takes ten times as long, and errors of one worker also
  // appear with few.
  const share = Number(random.weighted({ 0.1: 5, 0.3: 4, 1: 1 }))
  const chosen = new Set(workers.filter(() => random.chance(share)).map(({ name }) => name))
  if (chosen.size === 0) chosen.add(random.pick(workers).name)
  const hasOwn = random.chance(0.5)
  if (hasOwn) for (const name of simulatedOwnWorker.follows) chosen.add(name)
  for (let before = 0; before < chosen.size;) {
    before = chosen.size
    for (const { name, follows } of workers) if (chosen.has(name)) for (const followed of follows) chosen.add(followed)
  }
  return { workers: workers.map(({ name }) => name).filter((name) => chosen.has(name)), hasOwn }
}
