import { FlowfarmError, RetryableError } from '../platform/errors.ts'
import type { CadenceArgument } from './json-cdc/cadence-argument.ts'
import type { PayloadValue } from './payload-value.ts'

/** Which state of the chain is asked. */
export interface StateAt {
  /** The state after this block; without it that of the latest sealed block that the node has executed. */
  readonly height?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ChainAccountKey {
  readonly index: number
  /** The raw public key, as hex digits without `0x`. */
  readonly publicKey: string
  /** 2 ECDSA_P256, 3 ECDSA_secp256k1. Source: onflow/flow-go `model/flow` key algorithms. */
  readonly signatureAlgorithm: number
  /** 1 SHA2_256, 3 SHA3_256. */
  readonly hashAlgorithm: number
  readonly weight: number
  readonly sequenceNumber: number
  readonly isRevoked: boolean
}

/** An account as the chain itself has it. */
export interface ChainAccount {
  /** `0x` and 16 hex digits. */
  readonly address: string
  /** FLOW in whole tokens, 8 decimals. */
  readonly balance: string
  readonly keys: readonly ChainAccountKey[]
  /** Source code by name of the contract. */
  readonly contracts: ReadonlyMap<string, Buffer>
}

/**
 * What the chain says when it is asked, whichever node answers. Calls are slow and limited in number, so who makes many
 * of them waits for its turn. Every method rejects with the signal's reason on abort.
 */
export interface ChainReader {
  /**
   * Runs a script and gives its result as events give theirs (`PayloadValue`).
   * @param script Cadence source with the addresses of its imports filled in
   * @throws ScriptFailedError, StateNotServedError, ChainCallFailedError, ChainUnavailableError;
   *   PayloadError for a result that is no JSON-CDC value
   */
  executeScript(script: string, args: readonly CadenceArgument[], at?: StateAt): Promise<PayloadValue>
  /**
   * @param address in text form
   * @returns undefined where the chain has no such account
   * @throws as `executeScript`, but for ScriptFailedError
   */
  getAccount(address: string, at?: StateAt): Promise<ChainAccount | undefined>
}

/** The script was run and failed, or used more than a script may: asking the same again gives the same. */
export class ScriptFailedError extends FlowfarmError {
  constructor(message: string, cause: unknown) {
    super('script-failed', message, { cause })
  }
}

/** No node has the state of that height: below what they keep, or not executed yet. */
export class StateNotServedError extends FlowfarmError {
  constructor(message: string, cause: unknown) {
    super('state-not-served', message, { cause })
  }
}

/**
 * The call failed, and that may lie in what was asked or in the node: no answer in time, a fault inside of the node, an
 * answer that is too large.
 */
export class ChainCallFailedError extends RetryableError {
  constructor(message: string, cause: unknown) {
    super('chain-call-failed', message, { cause })
  }
}

/** No node answers at present, or all refuse for the pace. Says nothing of what was asked. */
export class ChainUnavailableError extends RetryableError {
  constructor(message: string, cause: unknown) {
    super('chain-unavailable', message, { cause })
  }
}
