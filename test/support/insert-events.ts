/**
 * A statement that stores events as ingest does, except for the order of their fields.
 *
 * @param select returns block_height, tx_index, event_index, type and payload (jsonb, null if
 * undecodable) in whole chunks of 64 events. Existing chunks remain unchanged.
 */
export function insertEvents(select: string): string {
  return `
    with given (block_height, tx_index, event_index, type, payload) as materialized (${select}),
    named as materialized (
      select *, case when payload is null then '{}' else array(select jsonb_object_keys(payload::jsonb)) end as fields from given
    ), new_shapes as (
      insert into raw.event_shapes (hash, type, fields)
      select sha256(convert_to(jsonb_build_array(type, fields)::text, 'UTF8')), type, fields
      from (select distinct type, fields from named) as shape
      on conflict (hash) do nothing
      returning id, type, fields
    ), shapes as (
      select * from new_shapes union all select id, type, fields from raw.event_shapes
    )
    insert into raw.event_chunks (block_height, tx_index, first_event_index, shapes, payloads)
    select e.block_height, e.tx_index, e.event_index / 64 * 64, array_agg(s.id order by e.event_index), array_agg(
      case when e.payload is not null then (
        select coalesce(json_agg(e.payload::jsonb -> name order by place), '[]') from unnest(s.fields) with ordinality as field (name, place)
      ) end order by e.event_index
    )
    from named e join shapes s on s.type = e.type and s.fields = e.fields
    group by e.block_height, e.tx_index, e.event_index / 64
    on conflict do nothing`
}
