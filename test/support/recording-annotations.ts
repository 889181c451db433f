import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordingFolder } from './replay.ts'
import type { RecordingName } from './replay.ts'

/**
 * The intended transfers of a recorded transaction, without fees: tokens or an item. Null: no
 * account.
 */
export type AnnotatedTransfer =
  | { readonly token: string; readonly amount: string; readonly from: string | null; readonly to: string | null }
  | { readonly nft: string; readonly id: string; readonly from: string | null; readonly to: string | null }

/** A recorded transaction by its sender's notes. */
export interface AnnotatedTransaction {
  readonly height: number
  readonly index: number
  /** 64 hex digits. In a rolled-back chain, positions differ between versions. */
  readonly txId: string
  readonly label: string
  readonly outcome: 'ok' | 'fail'
  readonly note: { readonly transfers?: readonly AnnotatedTransfer[] }
}

/** An account key, with the algorithm numbers of access nodes. */
export interface TrueKey {
  readonly index: number
  /** Hex digits. */
  readonly public_key: string
  readonly sign_algo: number
  readonly hash_algo: number
  readonly weight: number
  readonly revoked: boolean
}

/** An account at the end of a recording, from the chain. */
export interface TrueAccount {
  readonly flow_balance: string
  readonly keys: readonly TrueKey[]
  /** By name. */
  readonly contracts: Readonly<Record<string, { readonly bytes: number; readonly sha3_256: string }>>
  readonly coas: readonly { readonly evm_address: string; readonly path: string }[]
  readonly vaults: readonly { readonly type: string; readonly balance: string; readonly path: string }[]
  readonly nfts: readonly { readonly type: string; readonly id: string; readonly uuid: string; readonly path: string }[]
  /** Other stored values: path and type. */
  readonly other_storage: ReadonlyArray<readonly [path: string, type: string]>
  /** Public paths with the published types. */
  readonly public: ReadonlyArray<readonly [path: string, type: string]>
}

export interface Truth {
  readonly accounts: Readonly<Record<string, TrueAccount>>
  /** The last block. */
  readonly height: number
  /** `nodes`: id, role, staked, committed, unstaking, unstaked, rewarded, number of delegators. */
  readonly staking: { readonly nodes: ReadonlyArray<readonly string[]> }
  readonly swap_pair_reserves: readonly string[]
  /** By vault type. */
  readonly total_supply: Readonly<Record<string, string>>
}

/** The executed transactions of a recording, from its `manifest.json`. */
export async function annotatedTransactions(name: RecordingName): Promise<readonly AnnotatedTransaction[]> {
  const manifest = (await readJson(name, 'manifest.json')) as {
    transactions: readonly (Partial<AnnotatedTransaction> & { readonly tx_id: string })[]
  }
  return manifest.transactions.flatMap(({ height, index, tx_id: txId, label = '', outcome = 'fail', note = {} }) =>
    height === undefined || index === undefined ? [] : [{ height, index, txId, label, outcome, note }],
  )
}

/** A recording's accounts, by the names in its notes. */
export async function namedAccounts(name: RecordingName): Promise<Readonly<Record<string, string>>> {
  const { accounts } = (await readJson(name, 'manifest.json')) as { accounts: Record<string, string> }
  return accounts
}

/**
 * The end state of a recording, from its `truth.json`. @param version '' for `truth.json`, `a` for
 * `truth-a.json`
 */
export async function truthOf(name: RecordingName, version = ''): Promise<Truth> {
  return (await readJson(name, version === '' ? 'truth.json' : `truth-${version}.json`)) as Truth
}

/** Events of a recording by type, counted by an independent decoder, from its `counts.json`. */
export async function recordedEventCounts(name: RecordingName): Promise<Readonly<Record<string, number>>> {
  const { events } = (await readJson(name, 'counts.json')) as { events: Record<string, number> }
  return events
}

async function readJson(name: RecordingName, file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(recordingFolder(name), file), 'utf8'))
}
