import type { Worker } from '../../../jobs/worker.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../../../src/chain/decoded-block.ts'
import type { Network } from '../../../src/chain/network.ts'
import { RangeOutput } from '../../../src/farm/commit/range-output.ts'

/** Events by the positions of their transaction and of their own. */
export type AskedEvents = readonly (readonly [transaction: number, event: number])[]

/** The events of a block whose fields some worker asks for: what all of them together make of it needs these decoded. */
export function askedEvents(block: DecodedBlock, workers: readonly Worker[], network: Network): AskedEvents {
  const asked = new Map<string, readonly [number, number]>()
  const transactions = block.transactions.map((transaction, i) =>
    withEvents(
      transaction,
      transaction.events.map((event, j) => new WatchedEvent(event, () => asked.set(`${i} ${j}`, [i, j]))),
    ),
  )
  const range = { from: block.height, to: block.height + 1, blocks: [{ ...block, transactions }] }
  for (const worker of workers) worker.derive?.(range, new RangeOutput(worker), { network })
  return [...asked.values()]
}

/** The same transaction with other events. Its own properties may be getters of a class, which a spread would leave out. */
export function withEvents(transaction: DecodedTransaction, events: readonly DecodedEvent[]): DecodedTransaction {
  const { index, id, isSystem, payer, proposer, authorizers, scriptHash, script, statusCode, isEvm, gasUsed } =
    transaction
  return { index, id, isSystem, payer, proposer, authorizers, scriptHash, script, statusCode, isEvm, gasUsed, events }
}

class WatchedEvent implements DecodedEvent {
  readonly type: string
  readonly index: number
  readonly #event: DecodedEvent
  readonly #onAsked: () => void

  constructor(event: DecodedEvent, onAsked: () => void) {
    this.type = event.type
    this.index = event.index
    this.#event = event
    this.#onAsked = onAsked
  }

  get fields(): DecodedEvent['fields'] {
    this.#onAsked()
    return this.#event.fields
  }
}
