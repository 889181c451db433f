import type { SqlColumn, SumFold } from './worker.ts'

const address: SqlColumn = { column: 'address', type: 'text' }
const token: SqlColumn = { column: 'token', type: 'text' }
const standard: SqlColumn = { column: 'standard', type: 'smallint' }
const holdingsTable = 'app.evm_token_holdings'

/**
 * What follows from the token transfers of the EVM: who holds what, and the tokens that there are. All are sums, so
 * that it does not matter in which order history is derived, and what is folded costs what a range moves.
 * @param transfers the table of the transfers
 */
export function evmTokenFolds(transfers: string): readonly SumFold[] {
  return [holdings(transfers), items(transfers), tokens(transfers)]
}

const inRange = 't.block_height >= $1 and t.block_height < $2'

/** Both sides of the transfers of a range; null is nobody. */
const sides = (transfers: string): string => `
  from ${transfers} t
  cross join lateral (values (t.from_address, -t.amount), (t.to_address, t.amount)) as s (address, change)
  where ${inRange} and s.address is not null`

/** Of whole tokens. A balance of 0 leaves no row, so it is the balance itself that says whether there is one. */
function holdings(transfers: string): SumFold {
  return {
    kind: 'sum',
    name: holdingsTable,
    key: [address, token, standard],
    sums: [{ column: 'balance', type: 'numeric' }],
    presence: 'balance',
    of: transfers,
    touched: `select distinct s.address, t.token, t.standard ${sides(transfers)}`,
    counted: `select s.address, t.token, t.standard, s.change as balance ${sides(transfers)}`,
  }
}

/** The same of each item of ERC-721 and each kind of ERC-1155. */
function items(transfers: string): SumFold {
  const ofItems = `${sides(transfers)} and t.token_id is not null`
  return {
    kind: 'sum',
    name: 'app.evm_token_items',
    key: [token, standard, { column: 'token_id', type: 'numeric' }, address],
    sums: [{ column: 'balance', type: 'numeric' }],
    presence: 'balance',
    of: transfers,
    touched: `select distinct t.token, t.standard, t.token_id, s.address ${ofItems}`,
    counted: `select t.token, t.standard, t.token_id, s.address, s.change as balance ${ofItems}`,
  }
}

/**
 * Of transfers there is a number, of the rest it is counted by how much it would be other without the range. Holdings
 * are folded before, so what they have is with the range, and less its changes without. The first transfer is in the
 * range if there is none before it; without the range it would be the next one behind, or none, which counts as 0.
 */
function tokens(transfers: string): SumFold {
  return {
    kind: 'sum',
    name: 'app.evm_tokens',
    key: [token, standard],
    sums: [
      { column: 'first_height', type: 'bigint' },
      { column: 'transfer_count', type: 'bigint' },
      { column: 'holder_count', type: 'bigint' },
      { column: 'short_count', type: 'bigint' },
    ],
    presence: 'transfer_count',
    of: transfers,
    touched: `select distinct t.token, t.standard from ${transfers} t where ${inRange}`,
    counted: `
      with changes as (
        select s.address, t.token, t.standard, sum(s.change) as change ${sides(transfers)} group by 1, 2, 3
      ), balances as (
        select c.token, c.standard, coalesce(h.balance, 0) as balance, coalesce(h.balance, 0) - c.change as otherwise
        from changes c left join lateral (
          select h.balance from ${holdingsTable} h
          where h.address = c.address and h.token = c.token and h.standard = c.standard limit 1
        ) h on true
      ), ranged as (
        select t.token, t.standard, min(t.block_height) as first_height, count(*) as transfer_count
        from ${transfers} t where ${inRange} group by 1, 2
      )
      select r.token, r.standard, r.transfer_count, 0::bigint as holder_count, 0::bigint as short_count,
        case when b.is_before then 0 else r.first_height - coalesce(n.block_height, 0) end as first_height
      from ranged r
      left join lateral (
        select true as is_before from ${transfers} t
        where t.token = r.token and t.standard = r.standard and t.block_height < $1 order by t.block_height limit 1
      ) b on true
      left join lateral (
        select t.block_height from ${transfers} t
        where t.token = r.token and t.standard = r.standard and t.block_height >= $2 order by t.block_height limit 1
      ) n on true
      union all
      select token, standard, 0, (balance > 0)::int - (otherwise > 0)::int, (balance < 0)::int - (otherwise < 0)::int, 0
      from balances`,
  }
}
