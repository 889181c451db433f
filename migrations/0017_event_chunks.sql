-- Events are stored in chunks of a transaction, each event as the values of its fields: the type and the names of the fields are the
-- same in millions of events and stand in raw.event_shapes once. An event was 265 bytes with its index entry. raw.events, now a view,
-- shows them as before.

create table raw.event_shapes (
  id integer generated always as identity primary key,
  hash bytea not null unique check (octet_length(hash) = 32),
  type text not null,
  fields text[] not null
);

-- Of a type only the whole is looked up, and there is no limit to its length.
create index event_shapes_type on raw.event_shapes using hash (type);

comment on table raw.event_shapes is 'Types of events with the names of their fields. A type has another shape after its contract was updated. Never changed, nor taken away.';
comment on column raw.event_shapes.id is 'Number of the shape, as in raw.event_chunks.';
comment on column raw.event_shapes.hash is 'SHA-256 of the type and the names of the fields, 32 bytes.';
comment on column raw.event_shapes.type is 'Full event type, e.g. A.1654653399040a61.FlowToken.TokensDeposited or flow.AccountCreated.';
comment on column raw.event_shapes.fields is 'Names of the fields, in the order of the values. None where the events could not be decoded.';

create table raw.event_chunks (
  block_height bigint not null,
  tx_index integer not null,
  first_event_index integer not null,
  shapes integer[] not null,
  payloads json[] not null,
  primary key (block_height, tx_index, first_event_index) with (fillfactor = 100)
) partition by range (block_height);

comment on table raw.event_chunks is 'Events in the order of execution, up to 64 of a transaction in a row. The view raw.events shows each as a row.';
comment on column raw.event_chunks.block_height is 'Height of the block.';
comment on column raw.event_chunks.tx_index is 'Position of the transaction in the block.';
comment on column raw.event_chunks.first_event_index is 'Position of the first event of the row in the transaction: a multiple of 64.';
comment on column raw.event_chunks.shapes is 'The shape of each event, its number in raw.event_shapes.';
comment on column raw.event_chunks.payloads is 'The values of the fields of each event, a JSON array: numbers as decimal strings, addresses 0x and 16 hex digits, byte arrays as 0x hex. Null when the bytes could not be decoded: then they are in raw.indexing_errors.';

-- Rows over 2 KB are compressed. lz4 takes a fifth of the time of the other method, but not every server is built with it.
do $$
begin
  alter table raw.event_chunks alter column payloads set compression lz4;
exception when feature_not_supported then
  raise notice 'this server has no lz4: raw.event_chunks is compressed by pglz';
end
$$;

-- Events that are stored already.
do $$
declare
  first bigint;
begin
  for first in
    select distinct (split_part(pg_get_expr(c.relpartbound, c.oid), '''', 2)::bigint / 1000000) * 1000000
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'raw.events'::regclass
  loop
    execute format(
      'create table raw.%I partition of raw.event_chunks for values from (%s) to (%s)', 'event_chunks_p' || first, first, first + 1000000
    );
  end loop;
end
$$;

create temporary table event_fields on commit drop as
select distinct type, case when payload is null then '{}' else array(select jsonb_object_keys(payload)) end as fields from raw.events;

insert into raw.event_shapes (hash, type, fields)
select sha256(convert_to((to_jsonb(array[type]) || to_jsonb(fields))::text, 'UTF8')), type, fields from event_fields;

insert into raw.event_chunks (block_height, tx_index, first_event_index, shapes, payloads)
select e.block_height, e.tx_index, e.event_index / 64 * 64, array_agg(s.id order by e.event_index), array_agg(
  case when e.payload is not null then (
    select coalesce(json_agg(e.payload -> name order by place), '[]') from unnest(s.fields) with ordinality as field (name, place)
  ) end order by e.event_index
)
from raw.events e
join raw.event_shapes s on s.type = e.type
  and s.fields = case when e.payload is null then '{}' else array(select jsonb_object_keys(e.payload)) end
group by e.block_height, e.tx_index, e.event_index / 64;

drop view raw.events_with_id;
drop table raw.events;

create view raw.events as
select c.block_height, c.tx_index, c.first_event_index + e.place::integer - 1 as event_index, s.type,
  case when e.payload is not null then (
    select coalesce(jsonb_object_agg(field.name, field.value), '{}')
    from rows from (unnest(s.fields), json_array_elements(e.payload)) as field (name, value)
  ) end as payload
from raw.event_chunks c
cross join lateral unnest(c.shapes, c.payloads) with ordinality as e (shape, payload, place)
join raw.event_shapes s on s.id = e.shape;

comment on view raw.events is 'Events in the order of execution. The transaction id is in raw.transactions; raw.events_with_id shows both. Bound block_height: there is no index by type; app.event_type_pieces and app.block_event_types say where events of a type are.';
comment on column raw.events.block_height is 'Height of the block.';
comment on column raw.events.tx_index is 'Position of the transaction in the block.';
comment on column raw.events.event_index is 'Position of the event in the transaction.';
comment on column raw.events.type is 'Full event type, e.g. A.1654653399040a61.FlowToken.TokensDeposited or flow.AccountCreated.';
comment on column raw.events.payload is 'Fields by name: numbers as decimal strings, addresses 0x and 16 hex digits, byte arrays as 0x hex. Null when the bytes could not be decoded: then they are in raw.indexing_errors.';

create view raw.events_with_id as
select e.block_height, b.timestamp, e.tx_index, t.id as transaction_id, e.event_index, e.type, e.payload
from raw.events e
join raw.transactions t using (block_height, tx_index)
join raw.blocks b on b.height = e.block_height;

comment on view raw.events_with_id is 'Events with the id of their transaction and the time of their block, for people who write SQL.';
comment on column raw.events_with_id.block_height is 'Height of the block.';
comment on column raw.events_with_id.transaction_id is 'Transaction id, 32 bytes: SHA3-256 of the encoded body.';
