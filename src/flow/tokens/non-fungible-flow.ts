import { isEvmAddress } from './fungible-flow.ts'
import type { NonFungibleTransfer, TransferType, Untyped } from './token-moves.ts'

/** The earliest collections share uuids, so an item has uuid and id. */
export interface Item {
  readonly token: string
  readonly id: string
  /** Undefined before Cadence 1.0. */
  readonly uuid: string | undefined
}

interface Place {
  readonly item: Item
  /** Account that it left or is in, or undefined. */
  readonly account: string | undefined
  readonly isMoving: boolean
  /** The NFT is in EVM now; the bridge handles the rest. */
  readonly isBridged?: boolean
  readonly eventIndex: number
}

/**
 * For nested collections a move is emitted twice: the second event is ignored. A withdrawal from an
 * account in which the item was not seen to arrive counts as both: it arrived with a collection,
 * and left.
 *
 * Source: onflow/flow-nft `contracts/NonFungibleToken.cdc` (post-conditions of `withdraw` and
 * `deposit`); onflow/flow-go `module/state_synchronization/indexer/extended/transfers`;
 * onflow/flow-evm-bridge `cadence/contracts/bridge/interfaces/IFlowEVMNFTBridge.cdc`.
 */
export class NonFungibleFlow {
  readonly transfers: Untyped<NonFungibleTransfer>[] = []
  readonly #places = new Map<string, Place>()

  withdrawn(eventIndex: number, item: Item, from: string | undefined): void {
    const key = keyOf(item)
    const place = this.#places.get(key)
    if (place === undefined) {
      this.#places.set(key, { item, account: from, isMoving: true, eventIndex })
      return
    }
    const { account, isMoving } = place
    if (from === undefined) {
      // The item comes from the owner of the collection.
      if (!isMoving) this.#places.set(key, { item, account, isMoving: true, eventIndex })
      return
    }
    if (isMoving && account === from) return
    if (account !== undefined && account !== from) this.#emit(eventIndex, item, account, from, 'transfer')
    this.#places.set(key, { item, account: from, isMoving: true, eventIndex })
  }

  deposited(eventIndex: number, item: Item, to: string | undefined): void {
    const key = keyOf(item)
    const place = this.#places.get(key)
    if (to === undefined) {
      if (place === undefined) this.#places.set(key, { item, account: undefined, isMoving: true, eventIndex })
      return
    }
    if (place !== undefined && !place.isMoving && place.account === to) return
    const from = place?.account
    const type = place?.isBridged === true ? 'escrow' : from === undefined ? 'deposit' : 'transfer'
    this.#emit(eventIndex, item, from, to, isEvmAddress(from) ? 'bridge' : type)
    this.#places.set(key, { item, account: to, isMoving: false, eventIndex })
  }

  /** The bridge locks or destroys the item next. */
  enteredEvm(eventIndex: number, item: Item, evmAddress: string): void {
    const key = keyOf(item)
    this.#emit(eventIndex, item, this.#places.get(key)?.account, evmAddress, 'bridge')
    this.#places.set(key, { item, account: undefined, isMoving: true, isBridged: true, eventIndex })
  }

  /** The bridge has minted or released the item. */
  leftEvm(eventIndex: number, item: Item, evmAddress: string): void {
    const key = keyOf(item)
    const place = this.#places.get(key)
    if (place?.isMoving === true && place.account !== undefined) {
      this.#emit(place.eventIndex, item, place.account, undefined, 'escrow')
    }
    this.#places.set(key, { item, account: evmAddress, isMoving: true, eventIndex })
  }

  /** The event does not name the collection, known only for items withdrawn here. */
  destroyed(eventIndex: number, id: string, uuid: string): void {
    for (const [key, { item, account }] of this.#places) {
      if (item.id !== id || item.uuid !== uuid) continue
      this.#places.delete(key)
      this.#emit(eventIndex, item, account, undefined, 'burn')
      return
    }
    this.transfers.push({ eventIndex, token: undefined, id, uuid, from: undefined, to: undefined, type: 'burn' })
  }

  /** Items still in transit were stored without an event. */
  finish(): void {
    for (const { item, account, isMoving, eventIndex } of this.#places.values()) {
      if (!isMoving || account === undefined) continue
      this.#emit(eventIndex, item, account, undefined, isEvmAddress(account) ? 'bridge' : 'withdrawal')
    }
    this.#places.clear()
  }

  #emit(eventIndex: number, item: Item, from: string | undefined, to: string | undefined, type: TransferType): void {
    const { token, id, uuid } = item
    this.transfers.push({ eventIndex, token, id, uuid, from, to, type })
  }
}

function keyOf({ token, id, uuid }: Item): string {
  return `${token} ${id} ${uuid ?? ''}`
}
