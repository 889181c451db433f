const flow = `token like '%.FlowToken'`
const coin = `(select token from app.ft_tokens where not ${flow} order by token limit 1)`

/** The place of the first row of a table for which something holds; rows of the chain are told by it. */
const firstWhere = (table: string, columns: string, condition: string): string =>
  `(${columns}) = (select ${columns} from ${table} where ${condition} order by ${columns} limit 1)`
const event = 'block_height, tx_index, event_index'
const transferLeg = `${event}, leg`

/** An event of a type, in the row that holds it beside others: the first, or one after it. */
const eventOf = (type: string, after = 0): string =>
  `select c.block_height, c.tx_index, c.first_event_index, e.place::integer, s.type, s.fields
   from raw.event_chunks c cross join lateral unnest(c.shapes) with ordinality as e (shape, place) join raw.event_shapes s on s.id = e.shape
   where s.type like '${type}' order by 1, 2, 3, 4 offset ${after} limit 1`

/**
 * Rows for which a statement that leaves out a condition, or takes the largest for the sum, has another answer: without them chains of
 * this kind do not tell it from a right one. All tables that tell the same are changed, so that the accepted statements still agree.
 */
export const nearMissChanges: readonly string[] = [
  // The largest transfer is not of FLOW, and not all that was bridged is.
  `update app.ft_transfers set amount = 90000 where ${firstWhere('app.ft_transfers', transferLeg, `transfer_type = 'transfer' and not ${flow}`)}`,
  `update app.ft_transfers set token = ${coin} where ${firstWhere('app.ft_transfers', transferLeg, `transfer_type = 'bridge' and length(to_address) = 42`)}`,
  // Accounts that have FLOW no more, one for each other token that they hold.
  `with emptied as (
     update app.ft_holdings h set vault_balance = 0, vault_rows = greatest(h.vault_rows, 1)
     from (
       select distinct on (other.token) mine.address, mine.token from app.ft_holdings mine
       join app.ft_holdings other on other.address = mine.address and other.token <> mine.token
       where mine.${flow} and (select count(*) from app.ft_holdings a where a.address = mine.address) = 2
       order by other.token, mine.address) one
     where (h.address, h.token) = (one.address, one.token) returning h.token)
   update app.ft_token_holders t set holder_count = holder_count - (select count(*) from emptied) where t.${flow}`,
  // A burned item, a listing that ended without a sale, and another event with a price.
  `with burned as (
     update app.nft_ownership set is_burned = true, owner = null where ${firstWhere('app.nft_ownership', 'token, nft_id', 'not is_burned')} returning token)
   update app.nft_collection_stats s set item_count = item_count - 1 from burned where s.token = burned.token`,
  `with sale as (${eventOf('%.NFTStorefrontV2.ListingCompleted')})
   update raw.event_chunks c set payloads = payloads[:place - 1] || (
     select json_agg(case when name = 'purchased' then 'false' else value end order by n)
     from rows from (unnest(sale.fields), json_array_elements(payloads[place])) with ordinality as field (name, value, n)) || payloads[place + 1:]
   from sale where (c.block_height, c.tx_index, c.first_event_index) = (sale.block_height, sale.tx_index, sale.first_event_index)`,
  `with sale as (${eventOf('%.NFTStorefrontV2.ListingCompleted', 1)}),
   shape as (insert into raw.event_shapes (hash, type, fields) select sha256('ListingMoved'), replace(type, 'ListingCompleted', 'ListingMoved'), fields from sale returning id)
   update raw.event_chunks c set shapes = shapes[:place - 1] || shape.id || shapes[place + 1:]
   from sale, shape where (c.block_height, c.tx_index, c.first_event_index) = (sale.block_height, sale.tx_index, sale.first_event_index)`,
  // A pair without FLOW, and one in which nobody has swapped.
  `insert into app.defi_pairs (pair, dex, address, asset0, asset1, price, last_height, last_tx_index, last_event_index)
   select replace(pair, 'SwapPair', 'CoinPair'), dex, address, ${coin}, 'A.0000000000000001.Other', 2, last_height, last_tx_index, last_event_index
   from app.defi_pairs order by pair limit 1`,
  `insert into app.defi_pair_days (pair, day, swap_count, volume0, volume1) select pair, date '2026-02-01', 1, 4, 8 from app.defi_pairs where pair like '%.CoinPair'`,
  `insert into app.defi_events (${event}, pair, event_type, maker, asset0, asset1, asset0_in, asset1_out, price, day)
   select last_height, last_tx_index, last_event_index + 1000, pair, 'Swap', '0x00000000000000a1', asset0, asset1, 4, 8, 2, date '2026-02-01'
   from app.defi_pairs where pair like '%.CoinPair'`,
  `insert into app.defi_events (${event}, pair, event_type, maker, asset0, asset1, asset0_in, asset1_in, lp_amount, day)
   select block_height, tx_index, event_index + 2000, replace(pair, 'SwapPair', 'NewPair'), 'AddLiquidity', '0x00000000000000a2', asset0, asset1, 5, 5, 5, day
   from app.defi_events where ${firstWhere('app.defi_events', event, `event_type = 'Swap' and pair like '%.SwapPair'`)}`,
  // The hour with the fewest transactions in all has the most of one day.
  `update app.hourly_stats set tx_count = (select max(tx_count) + 1 from app.hourly_stats)
   where ${firstWhere('app.hourly_stats', 'day, hour', 'hour = (select hour from app.hourly_stats group by hour order by sum(tx_count), hour limit 1)')}`,
  // Stake of several delegators, and value in EVM transactions that failed.
  `insert into app.staking_delegators select (jsonb_populate_record(d, '{"delegator_id": 7}')).* from app.staking_delegators d where delegator_id = 1`,
  'update app.staking_delegators set tokens_staked = 100 * delegator_id',
  `insert into app.staking_events select (jsonb_populate_record(e, jsonb_build_object('event_index', event_index + 1000, 'delegator_id', 7, 'amount', '40.5'))).*
   from app.staking_events e where event_type = 'DelegatorTokensCommitted' order by ${event} limit 1`,
  'update app.evm_tx_hashes set evm_value = evm_value + 3000000000000000000 where evm_status = 0',
]
