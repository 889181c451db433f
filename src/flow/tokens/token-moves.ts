/**
 * Why tokens moved:
 * - `transfer`: out of one account's vault or collection and into one
 * - `fee`: the fee of the transaction
 * - `mint`, `burn`: made or destroyed, as the token's own events say, or the standard's; FLOW, of which no event says
 *   so, where the script imports Burner
 * - `bridge`: into EVM or out of it; that side is a 20-byte address
 * - `escrow`: what the bridge locks up in its account while it is used in EVM (no `from`), and gives back (no `to`);
 *   tokens that EVM is the home of have none, they are made and destroyed on this side
 * - `stake`, `unstake`: FLOW into stake and out of it, and between the buckets of the staking account on that way
 * - `reward`: what stake earned, taken out by whom it belongs to, or paid from fees; what is paid anew is a `mint`
 * - `deposit`: arrived, and nothing in the transaction shows from where: a vault that was taken whole out of storage,
 *   or made without a word
 * - `withdrawal`: left, and did not arrive in the transaction: stored, kept in a resource, or destroyed by a contract
 *   without a word
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

/** What one account lost and another got by one event. */
export interface FungibleTransfer {
  /** The event by which it arrived, or if it did not arrive, by which it left. */
  readonly eventIndex: number
  /** `A.<address>.<name>` */
  readonly token: string
  /** 0x and 16 hex digits, or 40 for an EVM account; undefined where it came from no account. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** UFix64 text. */
  readonly amount: string
  readonly type: TransferType
}

export interface NonFungibleTransfer {
  readonly eventIndex: number
  /** `A.<address>.<name>`; undefined where an item was destroyed of which the transaction says no more than its id. */
  readonly token: string | undefined
  /** UInt64 as decimal text. */
  readonly id: string
  /** UInt64 as decimal text; undefined before Cadence 1.0. */
  readonly uuid: string | undefined
  /** 0x and 16 hex digits, or 40 for an EVM account; undefined where it came from no account. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly type: TransferType
}

/** While a transaction is read: what a move was for is often said after it. */
export type Unnamed<T extends FungibleTransfer | NonFungibleTransfer> = Omit<T, 'to' | 'type'> & {
  to: string | undefined
  type: TransferType
}

/** What a vault held after an event, as the chain itself says. */
export interface VaultBalance {
  readonly token: string
  /** UInt64 as decimal text. `0` is a uuid like others. */
  readonly vault: string
  /** Undefined: it lies in no account, or is no more. */
  readonly owner: string | undefined
  /** UFix64 text. */
  readonly balance: string
  readonly eventIndex: number
}

/** A change of an account's balance by an event of before Cadence 1.0, when vaults had no names. */
export interface BalanceChange {
  readonly token: string
  readonly address: string
  /** Units of 10^-8, negative for what left. */
  readonly units: bigint
}

/** A token event that is not as its kind must be. */
export interface TokenProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly code: string
  readonly message: string
}

/** Everything that a transaction did to tokens. Lists of transfers are in the order of `eventIndex`. */
export interface TokenMoves {
  readonly fungible: readonly FungibleTransfer[]
  readonly nonFungible: readonly NonFungibleTransfer[]
  /** The last state of each vault that lies in an account or did so before. */
  readonly vaults: readonly VaultBalance[]
  readonly changes: readonly BalanceChange[]
  readonly problems: readonly TokenProblem[]
}

export const noTokenMoves: TokenMoves = { fungible: [], nonFungible: [], vaults: [], changes: [], problems: [] }
