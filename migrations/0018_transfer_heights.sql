-- Heights of app.ft_transfers, half of the rows of all derived tables, take 4 bytes instead of 8: enough for fifty years of the chain. With
-- them an entry of the primary key is 16 bytes narrower, and no wider than what PostgreSQL takes for a sequence: it fills the pages of rising
-- runs in the middle of the index, where it left them half empty.

create table app.ft_transfers_narrow (
  block_height integer not null,
  tx_index integer not null,
  event_index integer not null,
  leg smallint not null,
  token text not null,
  from_address text,
  to_address text,
  amount numeric not null,
  transfer_type text not null
) partition by range (block_height);

do $$
declare
  partition record;
begin
  for partition in
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'app.ft_transfers'::regclass
  loop
    execute format('create table app.%I partition of app.ft_transfers_narrow %s', partition.name || '_narrow', replace(partition.bounds, '''', ''));
    execute format('insert into app.%I select * from app.%I', partition.name || '_narrow', partition.name);
  end loop;
end
$$;

drop table app.ft_transfers;
alter table app.ft_transfers_narrow rename to ft_transfers;

do $$
declare
  partition regclass;
begin
  for partition in select inhrelid from pg_inherits where inhparent = 'app.ft_transfers'::regclass loop
    execute format('alter table %s rename to %I', partition, (select regexp_replace(relname, '_narrow$', '') from pg_class where oid = partition));
  end loop;
end
$$;

alter table app.ft_transfers add primary key (block_height, tx_index, event_index, leg);

create index ft_transfers_from on app.ft_transfers (from_address, block_height)
  where from_address is not null and transfer_type <> 'fee';
create index ft_transfers_to on app.ft_transfers (to_address, block_height)
  where to_address is not null and transfer_type <> 'fee';
create index ft_transfers_token on app.ft_transfers (token, block_height)
  where transfer_type <> 'fee';
create index ft_transfers_from_token on app.ft_transfers (hashtextextended(from_address || token, 0), block_height)
  where from_address is not null and transfer_type <> 'fee';
create index ft_transfers_to_token on app.ft_transfers (hashtextextended(to_address || token, 0), block_height)
  where to_address is not null and transfer_type <> 'fee';

comment on table app.ft_transfers is 'Movements of fungible tokens from account to account, fees included.';
comment on column app.ft_transfers.block_height is 'Height of the block.';
comment on column app.ft_transfers.tx_index is 'Position of the transaction in the block.';
comment on column app.ft_transfers.event_index is 'The event by which it arrived; the one by which it left where it did not arrive.';
comment on column app.ft_transfers.leg is 'Counts from 0 the transfers that one event made: a deposit may hold what several accounts gave.';
comment on column app.ft_transfers.token is 'A.<address>.<name> of the contract; a further part for a vault not named Vault.';
comment on column app.ft_transfers.from_address is 'Account that gave, 0x and 16 hex digits, or 40 for an EVM account; null: no account.';
comment on column app.ft_transfers.to_address is 'Account that got, written like from_address; null: no account.';
comment on column app.ft_transfers.amount is 'Amount in whole tokens, 8 decimals.';
comment on column app.ft_transfers.transfer_type is 'transfer; fee (of the transaction); mint; burn; bridge (into EVM or out of it: that side has 40 digits); escrow (locked up by the bridge in its account, without a giver, or given out of it, without a receiver, while the tokens are in EVM); stake and unstake (FLOW into stake and out of it, also from bucket to bucket of the staking account); reward (of stake, taken out or paid from fees; what is paid anew is a mint); deposit (from where no event tells); withdrawal (to where no event tells: kept in a resource, stored, or destroyed without an event).';
