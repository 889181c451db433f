import { FlowfarmError, RetryableError } from '../platform/errors.ts'
import type { CadenceArgument } from './json-cdc/cadence-argument.ts'
import type { PayloadValue } from './payload-value.ts'

export interface StateAt {
  /** Default: the latest sealed block that the node has executed. */
  readonly height?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ChainAccountKey {
  readonly index: number
  /** Raw public key, hex without `0x`. */
  readonly publicKey: string
  /** 2 ECDSA_P256, 3 ECDSA_secp256k1. Source: onflow/flow-go `model/flow`. */
  readonly signatureAlgorithm: number
  /** 1 SHA2_256, 3 SHA3_256. */
  readonly hashAlgorithm: number
  readonly weight: number
  readonly sequenceNumber: number
  readonly isRevoked: boolean
}

export interface ChainAccount {
  /** `0x` and 16 hex digits. */
  readonly address: string
  /** FLOW in whole tokens, 8 decimals. */
  readonly balance: string
  readonly keys: readonly ChainAccountKey[]
  readonly contracts: ReadonlyMap<string, Buffer>
}

/** Calls are slow and rate-limited. Every method rejects with the signal's reason on abort. */
export interface ChainReader {
  /**
   * @param script with import addresses
   *
   * @throws ScriptFailedError, StateNotServedError, ChainCallFailedError, ChainUnavailableError;
   * PayloadError for a result that is not JSON-CDC
   */
  executeScript(script: string, args: readonly CadenceArgument[], at?: StateAt): Promise<PayloadValue>
  /**
   * @param address canonical text
   *
   * @returns undefined if the account does not exist
   *
   * @throws as `executeScript`, except ScriptFailedError
   */
  getAccount(address: string, at?: StateAt): Promise<ChainAccount | undefined>
}

/** The script failed or exceeded a limit; retrying gives the same result. */
export class ScriptFailedError extends FlowfarmError {
  constructor(message: string, cause: unknown) {
    super('script-failed', message, { cause })
  }
}

/** Pruned, or not executed yet. */
export class StateNotServedError extends FlowfarmError {
  constructor(message: string, cause: unknown) {
    super('state-not-served', message, { cause })
  }
}

/** Possibly because of the request: timeout, node error or oversized response. */
export class ChainCallFailedError extends RetryableError {
  constructor(message: string, cause: unknown) {
    super('chain-call-failed', message, { cause })
  }
}

/** No node responds, or all limit the rate. */
export class ChainUnavailableError extends RetryableError {
  constructor(message: string, cause: unknown) {
    super('chain-unavailable', message, { cause })
  }
}
