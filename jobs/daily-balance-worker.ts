import { addressBytes } from '../src/flow/address.ts'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { tokenMovesOf } from '../src/flow/tokens/read-token-moves.ts'
import { ufix64Text, ufix64Units } from '../src/flow/tokens/ufix64.ts'
import { utcDay } from '../src/flow/decoded-block.ts'
import type { DeriveContext, DeriveOutput, Fold, HeightTable, Worker } from './worker.ts'

const balanceChanges: HeightTable = {
  name: 'app.balance_changes',
  columns: ['block_height', 'day', 'nth', 'token', 'addresses', 'changes'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

const dailyChanges: Fold = {
  kind: 'sum',
  name: 'app.daily_balance_changes',
  key: [
    { column: 'address', type: 'text' },
    { column: 'token', type: 'text' },
    { column: 'day', type: 'date' },
  ],
  sums: [
    { column: 'change', type: 'numeric' },
    { column: 'block_count', type: 'bigint' },
  ],
  presence: 'block_count',
  of: balanceChanges.name,
  touched: `
    select distinct '0x' || encode(bytes, 'hex') as address, token, day from app.balance_changes, unnest(addresses)
      as bytes
    where block_height >= $1 and block_height < $2`,
  counted: `
    select '0x' || encode(c.bytes, 'hex') as address, h.token, h.day, c.change, 1::bigint as block_count
    from app.balance_changes h, unnest(h.addresses, h.changes) as c (bytes, change)
    where h.block_height >= $1 and h.block_height < $2`,
}

/**
 * Includes fees, so that past balances can be computed backwards from current ones. Excludes EVM
 * accounts.
 */
export const dailyBalanceWorker: Worker = {
  name: 'daily_balance_worker',
  description: 'Balance changes by account, token and day',
  phase: 2,
  follows: ['token_worker'],
  tables: [balanceChanges],
  folds: [dailyChanges],
  derive({ blocks }, output, context) {
    for (const block of blocks) deriveBlock(block, output, context)
  },
}

function deriveBlock(
  { height, timestampUs, transactions }: DecodedBlock,
  output: DeriveOutput,
  context: DeriveContext,
): void {
  const tokens = new Map<string, Map<string, bigint>>()
  for (const transaction of transactions) {
    for (const { token, from, to, amount } of tokenMovesOf(transaction, context.network).fungible) {
      if (from === to) continue
      const units = ufix64Units(amount)
      let changes = tokens.get(token)
      if (changes === undefined) tokens.set(token, (changes = new Map<string, bigint>()))
      if (isFlowAccount(from)) changes.set(from, (changes.get(from) ?? 0n) - units)
      if (isFlowAccount(to)) changes.set(to, (changes.get(to) ?? 0n) + units)
    }
  }
  if (tokens.size === 0) return
  const rows = output.rows(balanceChanges.name)
  const day = utcDay(timestampUs)
  let nth = 0
  for (const token of [...tokens.keys()].sort()) {
    const changes = [...(tokens.get(token) ?? [])].filter(([, units]) => units !== 0n).sort(byAddress)
    if (changes.length === 0) continue
    rows.row(balanceChanges.columns.length)
    rows.int8(height)
    rows.date(day)
    rows.int2(nth++)
    rows.text(token)
    rows.byteaArray(changes.map(([address]) => addressBytes(address)))
    rows.numericArray(changes.map(([, units]) => (units < 0n ? `-${ufix64Text(-units)}` : ufix64Text(units))))
  }
}

/** EVM addresses have 40 digits. */
function isFlowAccount(address: string | undefined): address is string {
  return address !== undefined && address.length === 18
}

function byAddress([a]: readonly [string, bigint], [b]: readonly [string, bigint]): number {
  return a < b ? -1 : 1
}
