import { notedTransactions, truthOf } from './recording-notes.ts'
import type { NotedTransaction } from './recording-notes.ts'
import type { RecordingName } from './replay.ts'

/** A transaction of the EVM by the notes of whoever sent it; `0x` in front of the hash. */
export interface NotedEvmTransaction {
  readonly hash: string
  readonly nonce: number
  readonly type: number
  readonly value: string
}

/** A transaction of a recording that uses the EVM. */
export type NotedEvmUse = Omit<NotedTransaction, 'note'> & { readonly note: EvmNote }

/** What a transaction of a recording was meant to do in the EVM; addresses with or without `0x`. */
export interface EvmNote {
  readonly evm?: readonly NotedEvmTransaction[]
  /** The contract that it was to create. */
  readonly evm_contract?: string
  readonly coa?: string
  readonly atto?: string
  readonly from?: string
  readonly to?: string
  /** FLOW. */
  readonly amount?: string
}

/** The EVM at the end of a recording, as the chain itself told; addresses with `0x`. */
export interface EvmTruth {
  readonly contracts: Readonly<Record<string, string>>
  readonly holders: Readonly<Record<string, EvmHolder>>
}

/** All in decimal: `attoflow`, `nonce`, and what it has of each of the contracts that are tokens, by their names. */
export type EvmHolder = Readonly<Record<string, string>>

/** Transactions of a recording that were meant for the EVM. */
export async function evmNotes(name: RecordingName): Promise<readonly NotedEvmUse[]> {
  const noted = (await notedTransactions(name)).filter(({ label }) => label.includes('evm'))
  return noted.map(({ note, ...rest }) => ({ ...rest, note: note as EvmNote }))
}

/** @param version as of `truthOf` */
export async function evmTruth(name: RecordingName, version = ''): Promise<EvmTruth> {
  const { evm } = (await truthOf(name, version)) as unknown as { evm: EvmTruth }
  return evm
}
