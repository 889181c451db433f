// Events of A.ee82856bf20e2aa6.FungibleToken, written by npm run worker -- init. Numbers are decimal strings.

export type Events = {
  Withdrawn: {
    /** String */
    type: string
    /** UFix64 */
    amount: string
    /** Address? */
    from: string | null
    /** UInt64 */
    fromUUID: string
    /** UInt64 */
    withdrawnUUID: string
    /** UFix64 */
    balanceAfter: string
  }
  Deposited: {
    /** String */
    type: string
    /** UFix64 */
    amount: string
    /** Address? */
    to: string | null
    /** UInt64 */
    toUUID: string
    /** UInt64 */
    depositedUUID: string
    /** UFix64 */
    balanceAfter: string
  }
}

/** Any value. */
export type Value = string | boolean | null | Value[] | { [name: string]: Value }
