import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import { FieldShapeError } from '../event-fields.ts'
import type { Network } from '../network.ts'
import { bucketMoves } from './bucket-moves.ts'
import type { BucketMove, PlacedEpochEvent, PlacedStakingEvent } from './bucket-moves.ts'
import { isEpochEventName, readEpochEvent } from './epoch-event.ts'
import type { EpochEvent } from './epoch-event.ts'
import { readStakingEvent } from './staking-event.ts'
import type { StakingEvent } from './staking-event.ts'

export interface StakingProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly code: string
  readonly message: string
}

/** What a transaction did to stakes and epochs, in the order of its events. */
export interface Staking {
  readonly events: ReadonlyArray<{ readonly event: StakingEvent; readonly move: BucketMove | undefined }>
  readonly epochs: readonly EpochEvent[]
  readonly problems: readonly StakingProblem[]
}

/**
 * Tells the events of staking and epochs of a network by their type; contracts of the same name elsewhere do not count.
 */
export interface StakingTypes {
  readonly table: string
  readonly epoch: string
}

export function stakingTypes(network: Network): StakingTypes {
  const { staking } = coreContracts(network)
  return { table: `A.${staking}.FlowIDTableStaking.`, epoch: `A.${staking}.FlowEpoch.` }
}

/** Reads a transaction; undefined where it has no event of staking or epochs, which is what nearly all have not. */
export function readStaking(
  transaction: DecodedTransaction,
  types: StakingTypes,
  network: Network,
): Staking | undefined {
  const { events } = transaction
  if (!events.some(({ type }) => type.startsWith(types.table) || type.startsWith(types.epoch))) return undefined
  const placed: PlacedStakingEvent[] = []
  const epochs: PlacedEpochEvent[] = []
  const problems: StakingProblem[] = []
  for (const [place, event] of events.entries()) {
    try {
      const read = readOne(event, types)
      if (read === undefined) continue
      if ('nodeId' in read) placed.push({ place, event: read })
      else epochs.push({ place, event: read })
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      const { index, type } = event
      problems.push({ eventIndex: index, eventType: type, code: 'staking-event-shape', message: error.message })
    }
  }
  const moves = bucketMoves(placed, epochs, transaction, network)
  return {
    events: placed.map(({ event }, i) => ({ event, move: moves[i] })),
    epochs: epochs.map(({ event }) => event),
    problems,
  }
}

function readOne(event: DecodedEvent, { table, epoch }: StakingTypes): StakingEvent | EpochEvent | undefined {
  const { type } = event
  const prefix = [table, epoch].find((one) => type.startsWith(one))
  if (prefix === undefined || event.fields === undefined) return undefined
  const name = type.slice(prefix.length)
  if (isEpochEventName(name)) return readEpochEvent(event, name, event.fields)
  if (prefix === epoch) throw new FieldShapeError(`FlowEpoch has no event ${name} that is known`)
  return readStakingEvent(event, name, event.fields)
}
