import { annotatedTransactions, truthOf } from './recording-annotations.ts'
import type { AnnotatedTransaction } from './recording-annotations.ts'
import type { RecordingName } from './replay.ts'

/** An EVM transaction by its sender's notes, with `0x` before the hash. */
export interface AnnotatedEvmTransaction {
  readonly hash: string
  readonly nonce: number
  readonly type: number
  readonly value: string
}

/** A transaction of a recording that uses the EVM. */
export type AnnotatedEvmUse = Omit<AnnotatedTransaction, 'note'> & { readonly note: EvmNote }

/** The intended EVM effects of a recorded transaction. Addresses with or without `0x`. */
export interface EvmNote {
  readonly evm?: readonly AnnotatedEvmTransaction[]
  /** The contract that it should create. */
  readonly evm_contract?: string
  readonly coa?: string
  readonly atto?: string
  readonly from?: string
  readonly to?: string
  /** FLOW. */
  readonly amount?: string
}

/** The EVM state at the end of a recording, from the chain. Addresses with `0x`. */
export interface EvmTruth {
  readonly contracts: Readonly<Record<string, string>>
  readonly holders: Readonly<Record<string, EvmHolder>>
}

/** All decimal: `attoflow`, `nonce`, and the balance of each token contract by name. */
export type EvmHolder = Readonly<Record<string, string>>

/** Transactions of a recording that target the EVM. */
export async function evmNotes(name: RecordingName): Promise<readonly AnnotatedEvmUse[]> {
  const noted = (await annotatedTransactions(name)).filter(({ label }) => label.includes('evm'))
  return noted.map(({ note, ...rest }) => ({ ...rest, note: note as EvmNote }))
}

/** @param version as in `truthOf` */
export async function evmTruth(name: RecordingName, version = ''): Promise<EvmTruth> {
  const { evm } = (await truthOf(name, version)) as unknown as { evm: EvmTruth }
  return evm
}
