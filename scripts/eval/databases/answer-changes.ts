const firstOfUsers =
  '(select block_height, tx_index from raw.transactions where payer_address is not null order by 1, 2 limit 1)'

/**
 * What two chains of one kind have in common although it could be otherwise, such as how many contracts there are. Changed where more than
 * one table tells it in all of them, so that the accepted statements still agree.
 */
export const answerChanges: readonly string[] = [
  `delete from app.account_labels where tag = 'burner'`,
  `update app.smart_contracts set is_removed = true where name = 'PebbleCoin'`,
  `update app.smart_contracts set name = 'Alarm' where name = 'Herons'`,
  `update app.ft_transfers set amount = amount + 0.5
   where transfer_type = 'transfer' and amount = (select max(amount) from app.ft_transfers where transfer_type = 'transfer' and token like '%.FlowToken') and token like '%.FlowToken'`,
  `update app.ft_transfers set to_address = from_address
   where (block_height, tx_index, event_index, leg) in (
     select block_height, tx_index, event_index, leg from app.ft_transfers where transfer_type = 'transfer' and from_address is not null
     order by block_height, tx_index, event_index, leg limit 2)`,
  `update app.ft_holdings set vault_balance = vault_balance + 9000000, vault_rows = greatest(vault_rows, 1)
   where token like '%.FlowToken' and address = (select address from app.ft_holdings where token like '%.FlowToken' order by balance desc offset 6 limit 1)`,
  `update raw.transactions set gas_used = 777 where (block_height, tx_index) = ${firstOfUsers}`,
  `update app.tx_metrics set gas_used = 777 where (block_height, tx_index) = ${firstOfUsers}`,
  'update app.staking_nodes set tokens_staked = tokens_staked + 25',
  `delete from app.evm_transactions where (block_height, tx_index, event_index) = (
     select block_height, tx_index, event_index from app.evm_transactions where call_type = 'deploy' order by 1, 2, 3 limit 1)`,
  `with gone as (
     delete from app.coa_accounts where (block_height, tx_index, event_index) = (
       select block_height, tx_index, event_index from app.coa_accounts order by 1, 2, 3 limit 1) returning block_height)
   update app.hourly_stats h set new_coa_count = h.new_coa_count - 1
   from gone join app.block_stats s using (block_height) where h.day = s.day and h.hour = s.hour`,
  // No transaction has the last script any more, but the first.
  `with ends as (
     select (select script_hash from raw.scripts order by 1 limit 1) as first, (select script_hash from raw.scripts order by 1 desc limit 1) as last),
   moved as (update raw.transactions t set script_hash = ends.first from ends where t.script_hash = ends.last)
   delete from raw.scripts using ends where script_hash = ends.last`,
  `update app.ft_tokens set token = replace(token, 'PebbleCoin', 'Drachma')`,
  `update app.ft_transfers set token = replace(token, 'PebbleCoin', 'Drachma') where token like '%.PebbleCoin'`,
]
