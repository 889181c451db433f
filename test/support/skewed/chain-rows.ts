import {
  contractAt,
  accountAt,
  isLate,
  isOccasional,
  isRare,
  skewed,
  skewedNumber,
  uniformRandom,
} from './skewed-world.ts'
import type { SkewedWorld } from './skewed-world.ts'

/** The time of the first block, and seconds per height. */
export const firstBlockAt = '2023-06-01T00:00:00Z'
export const secondsPerHeight = 0.8

/** Contracts, each used by one script. */
const apps = 200

/** The time of a height, as SQL. */
export function timeOf(height: string): string {
  return `(timestamptz '${firstBlockAt}' + ${height} * interval '${secondsPerHeight} seconds')`
}

const evmBlockHash = (number: string): string => `'0x' || lpad(to_hex(${number}), 64, '0')`

/** Shapes of all events that `chainRows` returns. */
export const eventShapes = `
  insert into raw.event_shapes (hash, type, fields)
  select sha256(convert_to((to_jsonb(array[type]) || to_jsonb(fields))::text, 'UTF8')), type, fields
  from (
    select '${skewed.evmEventType}', array['payload', 'logs']
    union all select '${skewed.evmBlockType}', array['height', 'hash', 'parentHash', 'timestamp', 'totalSupply']
    union all select unnest(array['${skewed.eventType}', '${skewed.rareEventType}']), array['amount']
    union all select ${contractAt('k', 'App')} || '.Used', array['amount'] from generate_series(0, ${apps - 1}) as k
  ) as shape (type, fields)`

/**
 * Blocks with one transaction each, their results and events. @param blocks a set `n` of block
 * numbers, as SQL
 */
export function chainRows(blocks: string, world: SkewedWorld): string {
  const { spacing, accounts } = world
  const h = `(n * ${spacing})`
  const id = `sha256(int8send(${h}))`
  const payer = `case when ${isOccasional} then '${skewed.occasional}' when ${isRare(world)} then '${skewed.quiet}'
    when ${isLate(world)} then '${skewed.late}' when ${uniformRandom('n', 1)} < 0.33 then '${skewed.whale}'
    else ${accountAt(skewedNumber(accounts, 'n', 2))} end`
  const app = contractAt(skewedNumber(apps, 'n', 3), 'App')
  const ofBlock = `from (select n, ${payer} as payer, ${app} as app from ${blocks} as n) as block`
  const isRelayed = '(n % 10 = 1)'
  const isJoint = '(n % 20 = 11)'
  const isEvm = '(n % 4 = 0)'
  const appEvent = `case when ${isRare(world)} then '${skewed.rareEventType}' else app || '.Used' end`
  const evmEvents = `case when ${isEvm} then array['${skewed.evmEventType}', '${skewed.evmBlockType}'] end`
  const types = `(${evmEvents} || array['${skewed.eventType}', ${appEvent}])`
  return `
    insert into raw.blocks (height, id, parent_id, timestamp, collection_count, tx_count, event_count, collection_ids)
    select ${h}, ${id}, sha256(int8send(${h} - 1)), ${timeOf(h)}, 1, 1, 3, array[${id}] from ${blocks} as n;
    insert into raw.transactions (
      block_height, proposer_sequence_number, gas_limit, gas_used, tx_index, collection_index, proposer_key_index, event_count, status_code,
      is_evm, id, status, payer_address, proposer_address, authorizers, reference_block_id, script_hash, signatures
    )
    select ${h}, n, 9999, 20, 0, 0, 0, 3, code, ${isEvm}, ${id}, case when code is null then 'UNKNOWN' else 'SEALED' end, payer,
      case when ${isRelayed} then '${skewed.relay}' else payer end,
      case when ${isJoint} then array[payer, '${skewed.guest}'] else array[payer] end,
      sha256(int8send(${h} - 10)), sha256('transfer'), '\\x00'
    ${ofBlock} cross join lateral (
      select case when n % ${Math.floor(world.blocks / 5)} = 9 then null when ${uniformRandom('n', 4)} < 0.02 then 1 else 0 end as code
    ) as outcome;
    insert into raw.tx_lookup (id, block_height, tx_index) select ${id}, ${h}, 0 from ${blocks} as n;
    insert into app.tx_tags (tag, block_height, tx_indexes)
    select 'FT_TRANSFER', ${h}, '{0}'::integer[] from ${blocks} as n
    union all
    select 'STAKING', ${h}, '{0}'::integer[] from ${blocks} as n where ${isRare(world)};
    insert into app.tx_metrics (block_height, gas_used, tx_index, is_gas_from_fee, fee) select ${h}, 20, 0, false, 0.00000570 from ${blocks} as n;
    insert into app.address_transactions (block_height, gas_used, tx_index, is_payer, is_proposer, is_authorizer, is_created, address)
    select ${h}, 20, 0, true, not ${isRelayed}, true, false, payer ${ofBlock}
    union all
    select ${h}, null, 0, false, true, false, false, '${skewed.relay}' from ${blocks} as n where ${isRelayed}
    union all
    select ${h}, null, 0, false, false, true, false, '${skewed.guest}' from ${blocks} as n where ${isJoint};
    insert into app.tx_contracts (contract, block_height, tx_indexes)
    select '${skewed.contract}', ${h}, '{0}'::integer[] from ${blocks} as n
    union all
    select case when ${isRare(world)} then '${skewed.rareContract}' else app end, ${h}, '{0}'::integer[] ${ofBlock};
    insert into app.block_event_types (block_height, types, event_counts)
    select ${h}, array(select unnest(types) order by 1), array_fill(1, array[cardinality(types)])
    from (select n, ${types} as types ${ofBlock}) as block;
    insert into app.event_type_pieces (type, piece, block_count)
    select type, ${h} / 100, count(*) from (select n, unnest(${types}) as type ${ofBlock}) as block group by 1, 2;
    insert into raw.event_chunks (block_height, tx_index, first_event_index, shapes, payloads)
    select ${h}, 0, 0, array_agg(s.id order by i),
      array_agg(case s.type when '${skewed.evmEventType}' then '["0x", "0xc0"]'::json
        when '${skewed.evmBlockType}' then json_build_array(n::text, ${evmBlockHash('n')}, ${evmBlockHash('n - 1')}, '1700000000', '1')
        else '["1.00000000"]'::json end order by i)
    from (select n, ${types} as types ${ofBlock}) as block
    cross join lateral unnest(types) with ordinality as event (type, i)
    join raw.event_shapes s on s.type = event.type
    group by n`
}
