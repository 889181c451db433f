/**
 * Transfer types:
 *
 * - `transfer`: between accounts
 * - `fee`: transaction fee
 * - `mint`, `burn`: from token or standard events; for FLOW, which has no burn event, from an
 * import of Burner
 * - `bridge`: to or from EVM; that side is a 20-byte address
 * - `escrow`: locked (no `from`) or released (no `to`) by the bridge account. Tokens native to EVM
 * are minted and burned instead
 * - `stake`, `unstake`: FLOW to or from staking, and between buckets of the staking account
 * - `reward`: staking rewards withdrawn, or paid from fees; newly issued rewards are `mint`
 * - `deposit`: no event shows the source, e.g. a vault taken from storage
 * - `withdrawal`: no event shows the destination: stored, kept in a resource, or destroyed without
 * an event
 */
export type TransferType =
  | 'transfer'
  | 'fee'
  | 'mint'
  | 'burn'
  | 'bridge'
  | 'escrow'
  | 'stake'
  | 'unstake'
  | 'reward'
  | 'deposit'
  | 'withdrawal'

export interface FungibleTransfer {
  /** Deposit event; without one, the withdrawal event. */
  readonly eventIndex: number
  /** `A.<address>.<name>` */
  readonly token: string
  /** 0x and 16 hex digits (40 for an EVM account); undefined if none. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** UFix64 text. */
  readonly amount: string
  readonly type: TransferType
}

export interface NonFungibleTransfer {
  readonly eventIndex: number
  /** `A.<address>.<name>`; undefined for a destroyed item known by id only. */
  readonly token: string | undefined
  /** UInt64 as decimal text. */
  readonly id: string
  /** UInt64 as decimal text; undefined before Cadence 1.0. */
  readonly uuid: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly type: TransferType
}

/** The type can follow from later events. */
export type Untyped<T extends FungibleTransfer | NonFungibleTransfer> = Omit<T, 'to' | 'type'> & {
  to: string | undefined
  type: TransferType
}

export interface VaultBalance {
  readonly token: string
  /** UInt64 in decimal. `0` is valid. */
  readonly vault: string
  /** Undefined if in no account or destroyed. */
  readonly owner: string | undefined
  readonly balance: string
  readonly eventIndex: number
}

/** A balance change before Cadence 1.0, where events have no vault uuids. */
export interface BalanceChange {
  readonly token: string
  readonly address: string
  /** Units of 10^-8, negative for outgoing amounts. */
  readonly units: bigint
}

export interface TokenProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly code: string
  readonly message: string
}

/** Transfers are in the order of `eventIndex`. */
export interface TokenMoves {
  readonly fungible: readonly FungibleTransfer[]
  readonly nonFungible: readonly NonFungibleTransfer[]
  readonly vaults: readonly VaultBalance[]
  readonly changes: readonly BalanceChange[]
  readonly problems: readonly TokenProblem[]
}

export const noTokenMoves: TokenMoves = { fungible: [], nonFungible: [], vaults: [], changes: [], problems: [] }
