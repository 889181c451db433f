import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { Network } from '../../chain/network.ts'
import { accountRow } from '../presenters/account.ts'
import type { AccountRow } from '../presenters/account.ts'
import { flowTokenOf } from './accounts.ts'

/** The orders in which accounts are listed: those that an index gives. */
export const accountOrders = ['block_height', 'tx_count', 'flow_balance', 'first_seen'] as const
export type AccountOrder = (typeof accountOrders)[number]

/** A place in such an order: the account, and what it is sorted by as decimal text. */
export interface AccountPlace {
  readonly value: string
  readonly address: string
}

/** What an order is read from: the rows of a table by one of its columns. */
interface AccountIndex {
  readonly table: FragmentSqlToken
  readonly column: FragmentSqlToken
  readonly type: FragmentSqlToken
  readonly listed: FragmentSqlToken
}

function indexOf(order: AccountOrder, network: Network): AccountIndex {
  const accounts = { table: sql.fragment`app.accounts`, type: sql.fragment`int8`, listed: sql.fragment`true` }
  const indexes: Readonly<Record<AccountOrder, AccountIndex>> = {
    block_height: { ...accounts, column: sql.fragment`last_seen_height` },
    first_seen: { ...accounts, column: sql.fragment`first_seen_height` },
    tx_count: { ...accounts, table: sql.fragment`app.address_stats`, column: sql.fragment`tx_count` },
    flow_balance: {
      table: sql.fragment`app.ft_holdings`,
      column: sql.fragment`balance`,
      type: sql.fragment`numeric`,
      listed: sql.fragment`token = ${flowTokenOf(network)} and balance > 0`,
    },
  }
  return indexes[order]
}

/**
 * Up to `count` accounts after a place, the highest first, of one height or count by address. Very many share a low
 * count, so the rest of those that share the value of the place is read by itself, where the index holds it together.
 */
export async function listAccounts(
  database: DatabasePool,
  network: Network,
  order: AccountOrder,
  after: AccountPlace | undefined,
  count: number,
): Promise<readonly AccountRow[]> {
  const { table, column, type, listed } = indexOf(order, network)
  const pageAfter = ({ value, address }: AccountPlace): FragmentSqlToken => sql.fragment`
    (select address, ${column} as value from ${table}
      where ${listed} and ${column} = ${value}::${type} and address > ${address}
      order by ${column} desc, address limit ${count})
    union all
    (select address, ${column} as value from ${table}
      where ${listed} and ${column} < ${value}::${type}
      order by ${column} desc, address limit ${count})
  `
  const firstPage = sql.fragment`
    select address, ${column} as value from ${table} where ${listed} order by ${column} desc, address limit ${count}
  `
  return database.any(sql.type(accountRow)`
    with page as materialized (
      select address, value from (${after === undefined ? firstPage : pageAfter(after)}) as listed
      order by value desc, address limit ${count}
    )
    select p.address, p.value::text as sort_value, a.first_seen_height, a.last_seen_height, a.created_height,
      a.created_tx_index, coalesce(s.tx_count, 0) as tx_count, h.balance::text as flow_balance
    from page p
    left join app.accounts a on a.address = p.address
    left join app.address_stats s on s.address = p.address
    left join app.ft_holdings h on h.address = p.address and h.token = ${flowTokenOf(network)}
    order by p.value desc, p.address
  `)
}
