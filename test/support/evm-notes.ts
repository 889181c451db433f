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

/** In decimal. Of tokens by the name of the contract: units of Coin, an ERC-20, and items of Badge, an ERC-721. */
export interface EvmHolder {
  readonly attoflow: string
  readonly nonce: string
  readonly Coin: string
  readonly Badge: string
}

/** Transactions of a recording that were meant for the EVM. */
export async function evmNotes(name: RecordingName): Promise<ReadonlyArray<Omit<NotedTransaction, 'note'> & { note: EvmNote }>> {
  const noted = await notedTransactions(name)
  return noted.filter(({ label }) => label.includes('evm')).map(({ note, ...rest }) => ({ ...rest, note: note as EvmNote }))
}

export async function evmTruth(name: RecordingName): Promise<EvmTruth> {
  const { evm } = (await truthOf(name)) as unknown as { evm: EvmTruth }
  return evm
}
