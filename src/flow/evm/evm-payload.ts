import type { EvmSignature } from './recover-sender.ts'

/** An EVM transaction or its logs are malformed. */
export class EvmPayloadError extends Error {}

/**
 * Addresses and hashes are lower-case hex without `0x`, integers decimal, amounts in attoflow
 * (10^-18 FLOW), prices in attoflow per gas.
 */
export interface EvmPayload {
  /**
   * 0 legacy, 1 access list (EIP-2930), 2 fee caps (EIP-1559), 4 delegations (EIP-7702), 255 direct
   * call.
   */
  readonly type: number
  readonly hash: string
  /** deposit, withdraw, transfer, deploy, call, or a number. */
  readonly callType: string | undefined
  /** Undefined for direct calls and for legacy transactions without replay protection. */
  readonly chainId: string | undefined
  /** Undefined if it follows from the signature. */
  readonly from: string | undefined
  /** Undefined for contract creation. */
  readonly to: string | undefined
  readonly value: string
  readonly input: Uint8Array
  readonly nonce: string
  readonly gasLimit: string
  /** Types 0 and 1. */
  readonly gasPrice: string | undefined
  /** Types 2 and 4. */
  readonly maxFeePerGas: string | undefined
  readonly maxPriorityFeePerGas: string | undefined
  readonly accessList: readonly AccessListEntry[]
  readonly authorizations: readonly Authorization[]
  readonly signature: EvmSignature | undefined
}

/** EIP-2930. */
export interface AccessListEntry {
  readonly address: string
  /** 64 hex digits each. */
  readonly storageKeys: readonly string[]
}

/** EIP-7702: the signer delegates to the code at `address`. */
export interface Authorization {
  readonly chainId: string
  readonly address: string
  readonly nonce: string
}
