import type { RowWriter } from '../src/platform/row-writer.ts'
import { addressBytes } from '../src/flow/address.ts'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { tokenMovesOf } from '../src/flow/tokens/read-token-moves.ts'
import type { VaultBalance } from '../src/flow/tokens/token-moves.ts'
import { ufix64Text } from '../src/flow/tokens/ufix64.ts'
import type { DeriveContext, DeriveOutput, HeightTable, SumFold, Worker } from './worker.ts'

const heightColumn = 'block_height'
const nobody = Buffer.alloc(0)

/**
 * Final balance of each changed vault per block. Large partitions, because the previous row of a
 * vault is searched in one after the other.
 */
const vaultBalances: HeightTable = {
  name: 'app.ft_vault_balances',
  columns: ['vault_uuid', heightColumn, 'nth', 'owner', 'token', 'balance'],
  heightColumn,
  partitionHeights: 5_000_000,
}

/** Before Cadence 1.0, where events do not identify vaults. */
const balanceChanges: HeightTable = {
  name: 'app.ft_balance_changes',
  columns: [heightColumn, 'address', 'token', 'change'],
  heightColumn,
  partitionHeights: 1_000_000,
}

function addressOf(bytes: string): string {
  return `'0x' || encode(${bytes}, 'hex')`
}

/**
 * A vault counts for the account in which it was last seen. For each vault of the range: its last
 * row, if no later one exists, minus the row before the range. Two index lookups per vault. All
 * amounts and sums have 8 decimals.
 */
const counted = `
    with ranged as (
      select block_height, vault_uuid, token, owner, balance from app.ft_vault_balances
      where block_height >= $1::bigint and block_height < $2::bigint
    ), latest as (
      select * from (
        select distinct on (vault_uuid, token) vault_uuid, token, owner, balance from ranged
        order by vault_uuid, token, block_height desc
      ) r where not exists (
        select from app.ft_vault_balances l where l.vault_uuid = r.vault_uuid and l.token = r.token and
          l.block_height >= $2
      )
    ), before as (
      select b.owner, l.token, b.balance from latest l cross join lateral (
        select h.owner, h.balance from app.ft_vault_balances h
        where h.vault_uuid = l.vault_uuid and h.token = l.token and h.block_height < $1
        order by h.block_height desc limit 1
      ) b
    )
    select ${addressOf('owner')} as address, token, balance as vault_balance, 1::bigint as vault_count,
      0::bigint as vault_rows, 0.00000000 as change_balance, 0::bigint as history_rows
    from latest where owner <> ''
    union all select ${addressOf('owner')}, token, -balance, -1, 0, 0.00000000, 0 from before where owner <> ''
    union all select ${addressOf('owner')}, token, 0.00000000, 0, 1, 0.00000000, 1 from ranged where owner <> ''
    union all select address, token, 0.00000000, 0, 0, change, 1 from app.ft_balance_changes
    where block_height >= $1 and block_height < $2`

const holdings: SumFold = {
  kind: 'sum',
  name: 'app.ft_holdings',
  key: [
    { column: 'address', type: 'text' },
    { column: 'token', type: 'text' },
  ],
  sums: [
    { column: 'vault_balance', type: 'numeric' },
    { column: 'vault_count', type: 'bigint' },
    { column: 'vault_rows', type: 'bigint' },
    { column: 'change_balance', type: 'numeric' },
    { column: 'history_rows', type: 'bigint' },
  ],
  presence: 'history_rows',
  of: [vaultBalances.name, balanceChanges.name],
  touched: `
    select ${addressOf('owner')} as address, token from app.ft_vault_balances
    where block_height >= $1::bigint and block_height < $2::bigint and owner <> ''
    union
    select ${addressOf('b.owner')}, r.token from app.ft_vault_balances r cross join lateral (
      select h.owner from app.ft_vault_balances h
      where h.vault_uuid = r.vault_uuid and h.token = r.token and h.block_height < $1
      order by h.block_height desc limit 1
    ) b
    where r.block_height >= $1 and r.block_height < $2 and b.owner <> ''
    union
    select address, token from app.ft_balance_changes where block_height >= $1 and block_height < $2`,
  counted,
}

/** Counts holders that would have none without the changes. */
const tokenHolders: SumFold = {
  kind: 'sum',
  name: 'app.ft_token_holders',
  key: [{ column: 'token', type: 'text' }],
  sums: [{ column: 'holder_count', type: 'bigint' }],
  presence: 'holder_count',
  of: holdings.name,
  touched: `select distinct token from (${holdings.touched}) as touched`,
  counted: `
    select d.token, ((coalesce(h.balance, 0) > 0)::integer - (without.balance > 0)::integer)::bigint as holder_count
    from unnest($1::text[], $2::text[], $3::numeric[], $4::bigint[], $5::bigint[], $6::numeric[], $7::bigint[])
      as d (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
    left join app.ft_holdings h on h.address = d.address and h.token = d.token
    cross join lateral (
      select case when coalesce(h.vault_rows, 0) > d.vault_rows then coalesce(h.vault_balance, 0) - d.vault_balance
        else coalesce(h.change_balance, 0) - d.change_balance end as balance
    ) without`,
}

/** Before Cadence 1.0, a balance is the sum of indexed transfers. */
export const ftHoldingsWorker: Worker = {
  name: 'ft_holdings_worker',
  description: 'Fungible token balances of accounts',
  phase: 2,
  follows: ['token_worker'],
  tables: [vaultBalances, balanceChanges],
  folds: [holdings, tokenHolders],
  derive({ blocks }, output, context) {
    for (const block of blocks) deriveBlock(block, output, context)
  },
}

function deriveBlock({ height, transactions }: DecodedBlock, output: DeriveOutput, { network }: DeriveContext): void {
  const vaults = new Map<string, VaultBalance>()
  const changes = new Map<string, { readonly address: string; readonly token: string; units: bigint }>()
  for (const transaction of transactions) {
    // token_worker records problems.
    const moves = tokenMovesOf(transaction, network)
    for (const state of moves.vaults) vaults.set(`${state.vault} ${state.token}`, state)
    for (const { address, token, units } of moves.changes) {
      const key = `${address} ${token}`
      const change = changes.get(key)
      if (change === undefined) changes.set(key, { address, token, units })
      else change.units += units
    }
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

function writeVaults(rows: RowWriter, height: number, states: VaultBalance[]): void {
  states.sort((a, b) => compareUuids(a.vault, b.vault) || compare(a.token, b.token))
  let nth = 0
  let previous = ''
  for (const { vault, token, owner, balance } of states) {
    nth = vault === previous ? nth + 1 : 0
    previous = vault
    rows.row(vaultBalances.columns.length)
    rows.int8(vault.length < 16 ? Number(vault) : BigInt(vault))
    rows.int4(height)
    rows.int2(nth)
    rows.bytea(owner === undefined ? nobody : addressBytes(owner))
    rows.text(token)
    rows.numeric(balance)
  }
}

/** Decimals without leading zeros. */
function compareUuids(a: string, b: string): number {
  return a.length - b.length || compare(a, b)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
