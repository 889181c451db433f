import type { EvmSignature } from './recover-sender.ts'

/** Bytes of the EVM, a transaction or its logs, that are not what they have to be. */
export class EvmPayloadError extends Error {}

/**
 * What the EVM was given to run. Addresses and hashes are lower-case hex digits without `0x`; integers are decimal;
 * amounts are in attoflow, 10^-18 FLOW, prices in attoflow per gas.
 */
export interface EvmPayload {
  /**
   * 0 legacy, 1 with access list (EIP-2930), 2 with fee caps (EIP-1559), 4 with delegations (EIP-7702), 255 direct
   * call.
   */
  readonly type: number
  /** Of these bytes, as a chain computes it. */
  readonly hash: string
  /** Of a direct call: deposit, withdraw, transfer, deploy or call; its number where it is none of these. */
  readonly callType: string | undefined
  /** Undefined for direct calls and for legacy transactions that are good on any chain. */
  readonly chainId: string | undefined
  /** Undefined where it follows from the signature. */
  readonly from: string | undefined
  /** Undefined where it creates a contract. */
  readonly to: string | undefined
  readonly value: string
  readonly input: Uint8Array
  readonly nonce: string
  readonly gasLimit: string
  /** Types 0 and 1. */
  readonly gasPrice: string | undefined
  /** Types 2 and 4, like the next. */
  readonly maxFeePerGas: string | undefined
  readonly maxPriorityFeePerGas: string | undefined
  readonly accessList: readonly AccessListEntry[]
  readonly authorizations: readonly Authorization[]
  readonly signature: EvmSignature | undefined
}

/** Storage that a transaction says beforehand that it will use (EIP-2930). */
export interface AccessListEntry {
  readonly address: string
  /** 64 hex digits each. */
  readonly storageKeys: readonly string[]
}

/** That whoever signed it lets code at `address` act for the own account (EIP-7702). */
export interface Authorization {
  readonly chainId: string
  readonly address: string
  readonly nonce: string
}
