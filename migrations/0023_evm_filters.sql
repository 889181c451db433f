alter table app.evm_transactions add column method_id text;

create index evm_transactions_method on app.evm_transactions (method_id, block_height, tx_index, event_index)
  where method_id is not null;
create index evm_transactions_type on app.evm_transactions (tx_type, block_height, tx_index, event_index);
create index evm_tx_hashes_failed on app.evm_tx_hashes (block_height, tx_index, event_index) where evm_status = 0;
create index evm_verified_signatures_name on app.evm_verified_signatures (lower(signature ->> 'name'), selector)
  where length(selector) = 8;

comment on column app.evm_transactions.method_id is 'First four bytes of the input of a call, which select the function: 8 hex digits. Null for shorter inputs, contract creations, and as nonce; also for rows that an earlier version derived.';
