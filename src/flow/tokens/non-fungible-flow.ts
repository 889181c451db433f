import { isEvmAddress } from './fungible-flow.ts'
import type { NonFungibleTransfer, TransferType, Unnamed } from './token-moves.ts'

/** An item of a collection. Items of the first collections share uuids, so only uuid and id together name one. */
export interface Item {
  readonly token: string
  readonly id: string
  /** Undefined before Cadence 1.0. */
  readonly uuid: string | undefined
}

interface Place {
  readonly item: Item
  /** The account that it left, or in which it lies; undefined: none that is known. */
  readonly account: string | undefined
  readonly isMoving: boolean
  /** It is in EVM now, and where it lies here is the bridge's business. */
  readonly isBridged?: boolean
  /** The event that brought it here. */
  readonly eventIndex: number
}

/**
 * Follows items through one transaction, in the order of its events. A collection may lie inside another one, and then
 * one move is told twice: again out of the account that it left already, or again into the one where it is; the second
 * telling is passed over. A move out of an account in which the item was not seen to arrive is both: it arrived there
 * with a collection, and left.
 * Source: onflow/flow-nft `contracts/NonFungibleToken.cdc` (post-conditions of `withdraw` and `deposit`); nested
 * collections and shared uuids as in onflow/flow-go `module/state_synchronization/indexer/extended/transfers`;
 * onflow/flow-evm-bridge `cadence/contracts/bridge/interfaces/IFlowEVMNFTBridge.cdc`.
 */
export class NonFungibleFlow {
  readonly transfers: Unnamed<NonFungibleTransfer>[] = []
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
      // Out of a collection on its way: whoever gave that collection gave the item.
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

  /** The bridge has the item and locks it up, or destroys it, after this. */
  enteredEvm(eventIndex: number, item: Item, evmAddress: string): void {
    const key = keyOf(item)
    this.#emit(eventIndex, item, this.#places.get(key)?.account, evmAddress, 'bridge')
    this.#places.set(key, { item, account: undefined, isMoving: true, isBridged: true, eventIndex })
  }

  /** The bridge has made the item, or taken it out of where it was locked up. */
  leftEvm(eventIndex: number, item: Item, evmAddress: string): void {
    const key = keyOf(item)
    const place = this.#places.get(key)
    if (place?.isMoving === true && place.account !== undefined) {
      this.#emit(place.eventIndex, item, place.account, undefined, 'escrow')
    }
    this.#places.set(key, { item, account: evmAddress, isMoving: true, eventIndex })
  }

  /** The event names the standard, not the collection: that is known only of items that were withdrawn here. */
  destroyed(eventIndex: number, id: string, uuid: string): void {
    for (const [key, { item, account }] of this.#places) {
      if (item.id !== id || item.uuid !== uuid) continue
      this.#places.delete(key)
      this.#emit(eventIndex, item, account, undefined, 'burn')
      return
    }
    this.transfers.push({ eventIndex, token: undefined, id, uuid, from: undefined, to: undefined, type: 'burn' })
  }

  /** What is still on its way when the transaction ends was put where no collection tells. */
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
