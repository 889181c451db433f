import type { RowWriter } from '../src/base/row-writer.ts'
import type { DecodedBlock } from '../src/chain/decoded-block.ts'
import { tokenMovesOf } from '../src/chain/tokens/token-moves-of.ts'
import type { FungibleTransfer, NonFungibleTransfer, VaultBalance } from '../src/chain/tokens/token-moves.ts'
import { ufix64Text } from '../src/chain/tokens/ufix64.ts'
import type { DeriveContext, DeriveOutput, Fold, HeightTable, Worker } from './worker.ts'

const heightColumn = 'block_height'

/** One row for what one account gave another by one event. */
const ftTransfers: HeightTable = {
  name: 'app.ft_transfers',
  columns: [
    heightColumn, 'tx_index', 'event_index', 'leg', 'token', 'from_address', 'to_address', 'amount', 'transfer_type',
  ],
  heightColumn,
  partitionHeights: 1_000_000,
}

/** One row for each move of an item. */
const nftTransfers: HeightTable = {
  name: 'app.nft_transfers',
  columns: [
    heightColumn, 'tx_index', 'event_index', 'leg', 'token', 'nft_id', 'nft_uuid', 'from_address', 'to_address',
    'transfer_type',
  ],
  heightColumn,
  partitionHeights: 5_000_000,
}

/** One row for each vault that a block changed: what it held in the end. ft_holdings_worker folds them. */
const vaultBalances: HeightTable = {
  name: 'app.ft_vault_balances',
  columns: [heightColumn, 'vault_uuid', 'token', 'owner', 'balance', 'tx_index', 'event_index'],
  heightColumn,
  partitionHeights: 1_000_000,
}

/** One row for each account and token that a block of before Cadence 1.0 changed, when events named no vaults. */
const balanceChanges: HeightTable = {
  name: 'app.ft_balance_changes',
  columns: [heightColumn, 'address', 'token', 'change'],
  heightColumn,
  partitionHeights: 1_000_000,
}

/** Of before Cadence 1.0: what came to accounts less what left them. */
const balanceSums: Fold = {
  kind: 'sum',
  name: 'app.ft_balance_sums',
  key: [{ column: 'address', type: 'text' }, { column: 'token', type: 'text' }],
  sums: [{ column: 'balance', type: 'numeric' }, { column: 'change_count', type: 'bigint' }],
  presence: 'change_count',
  of: balanceChanges.name,
  touched: `
    select distinct address, token from app.ft_balance_changes where block_height >= $1 and block_height < $2`,
  counted: `
    select address, token, change as balance, 1::bigint as change_count from app.ft_balance_changes
    where block_height >= $1 and block_height < $2`,
}

/**
 * Transfers of fungible tokens and of items, and what vaults hold after each block. How events become transfers is in
 * `src/chain/tokens/`; here they become rows.
 */
export const tokenWorker: Worker = {
  name: 'token_worker',
  description: 'Transfers of fungible tokens and NFTs, and the balances of vaults',
  phase: 1,
  follows: [],
  tables: [ftTransfers, nftTransfers, vaultBalances, balanceChanges],
  folds: [balanceSums],
  derive({ blocks }, output, context) {
    for (const block of blocks) deriveBlock(block, output, context)
  },
}

/** Of a transaction. */
interface Place {
  readonly height: number
  readonly txIndex: number
}

interface VaultState {
  readonly state: VaultBalance
  readonly txIndex: number
}

function deriveBlock({ height, transactions }: DecodedBlock, output: DeriveOutput, { network }: DeriveContext): void {
  const vaults = new Map<string, VaultState>()
  const changes = new Map<string, { readonly address: string; readonly token: string; units: bigint }>()
  for (const transaction of transactions) {
    const moves = tokenMovesOf(transaction, network)
    const txIndex = transaction.index
    const place: Place = { height, txIndex }
    if (moves.fungible.length > 0) writeFungible(output.rows(ftTransfers.name), place, moves.fungible)
    if (moves.nonFungible.length > 0) writeNonFungible(output.rows(nftTransfers.name), place, moves.nonFungible)
    for (const state of moves.vaults) vaults.set(state.vault, { state, txIndex })
    for (const { address, token, units } of moves.changes) {
      const key = `${address} ${token}`
      const change = changes.get(key)
      if (change === undefined) changes.set(key, { address, token, units })
      else change.units += units
    }
    for (const problem of moves.problems) output.problem({ blockHeight: height, txIndex, ...problem })
  }
  if (vaults.size > 0) writeVaults(output.rows(vaultBalances.name), height, [...vaults.values()])
  if (changes.size === 0) return
  const rows = output.rows(balanceChanges.name)
  for (const [, { address, token, units }] of [...changes].toSorted(([a], [b]) => compare(a, b))) {
    rows.row(balanceChanges.columns.length)
    rows.int8(height)
    rows.text(address)
    rows.text(token)
    rows.numeric(units < 0n ? `-${ufix64Text(-units)}` : ufix64Text(units))
  }
}

function writeFungible(rows: RowWriter, place: Place, transfers: readonly FungibleTransfer[]): void {
  let leg = 0
  let previous = -1
  for (const { eventIndex, token, from, to, amount, type } of transfers) {
    leg = eventIndex === previous ? leg + 1 : 0
    previous = eventIndex
    rows.row(ftTransfers.columns.length)
    rows.int8(place.height)
    rows.int4(place.txIndex)
    rows.int4(eventIndex)
    rows.int2(leg)
    rows.text(token)
    writeOptional(rows, from)
    writeOptional(rows, to)
    rows.numeric(amount)
    rows.text(type)
  }
}

function writeNonFungible(rows: RowWriter, place: Place, transfers: readonly NonFungibleTransfer[]): void {
  let leg = 0
  let previous = -1
  for (const { eventIndex, token, id, uuid, from, to, type } of transfers) {
    leg = eventIndex === previous ? leg + 1 : 0
    previous = eventIndex
    rows.row(nftTransfers.columns.length)
    rows.int8(place.height)
    rows.int4(place.txIndex)
    rows.int4(eventIndex)
    rows.int2(leg)
    writeOptional(rows, token)
    rows.numeric(id)
    if (uuid === undefined) rows.null()
    else rows.int8(int8(uuid))
    writeOptional(rows, from)
    writeOptional(rows, to)
    rows.text(type)
  }
}

function writeVaults(rows: RowWriter, height: number, states: VaultState[]): void {
  states.sort((a, b) => compareUuids(a.state.vault, b.state.vault))
  for (const { state, txIndex } of states) {
    const { vault, token, owner, balance, eventIndex } = state
    rows.row(vaultBalances.columns.length)
    rows.int8(height)
    rows.int8(int8(vault))
    rows.text(token)
    rows.text(owner ?? '')
    rows.numeric(balance)
    rows.int4(txIndex)
    rows.int4(eventIndex)
  }
}

function writeOptional(rows: RowWriter, text: string | undefined): void {
  if (text === undefined) rows.null()
  else rows.text(text)
}

/** A number where that is exact, which is cheaper. */
function int8(digits: string): number | bigint {
  return digits.length < 16 ? Number(digits) : BigInt(digits)
}

/** Decimal texts without leading zeros, by their value. */
function compareUuids(a: string, b: string): number {
  return a.length - b.length || compare(a, b)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
