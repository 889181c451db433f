function statements(text: string): readonly string[] {
  return text
    .trim()
    .split(/;\n/)
    .map((sql) => sql.trim().replace(/;$/, ''))
}

/** Ordinary statements with work linear in the rows read. */
export const analystIdioms: Readonly<Record<string, readonly string[]>> = {
  'values that are built from many rows': statements(String.raw`
    select array_to_string(array_agg(distinct token), ', ') from app.ft_tokens;
    select array_to_string(array_agg(status order by block_height desc), ',') from raw.transactions;
    select upper(string_agg(status, ',')) from raw.transactions;
    select lower(string_agg(token, ',')) like '%flow%' from app.ft_tokens;
    select jsonb_agg(t)::text from (select height, tx_count from raw.blocks limit 5) t;
    select json_agg(row_to_json(b)) from (select height from raw.blocks limit 5) b;
    select jsonb_object_agg(status, n) from (select status, count(*) n from raw.transactions group by 1) s;
    select split_part(string_agg(type, '|'), '|', 1) from raw.events;
    select array_length(string_to_array(string_agg(token, ','), ','), 1) from app.ft_tokens;
    select unnest(array_agg(distinct status)) from raw.transactions;
    select count(*) filter (where 'a' = any(array_agg_x)) from (select array_agg(status) array_agg_x from
        raw.transactions group by block_height) t;
    select * from raw.blocks where height = any (select unnest(array_agg(height)) from raw.blocks);
    select array_agg(distinct a) && array['x'] from (select token a from app.ft_tokens) t;
    select md5(string_agg(encode(id, 'hex'), '' order by block_height)) from raw.transactions;
    select string_to_array(type, '.') from raw.events limit 1;
    select jsonb_array_length(jsonb_agg(height)) from raw.blocks;
    select array_agg(a order by a) from unnest(array[3,1,2]) a;
    select (array_agg(height order by height desc))[1:3] from raw.blocks;
    select array_position(array_agg(height order by height), 5) from raw.blocks;
    select string_agg(distinct left(token, 20), E'\n') from app.ft_tokens;
    select json_build_object('n', count(*), 'by_status', json_object_agg(status, 1)) from raw.transactions;
    select jsonb_build_object('list', jsonb_agg(height order by height desc)) ->> 'list' from raw.blocks;
    select array_to_json(array_agg(t)) from (select height from raw.blocks limit 5) t;
    select initcap(string_agg(status, ' ')) from raw.transactions;
    select replace(string_agg(token, ','), ',', E'\n') from app.ft_tokens;
    select replace(string_agg(token, '|'), 'A.', '') from app.ft_tokens;
    select string_agg(token, ',') ilike '%flow%' from app.ft_tokens;
    select regexp_replace(string_agg(token, ','), 'A\.', '', 'g') from app.ft_tokens;
    select unnest(string_to_array(string_agg(token, ','), ',')) from app.ft_tokens;
    select to_jsonb(array_agg(height)) from raw.blocks;
    select jsonb_agg(height) -> 0 from raw.blocks;
    select jsonb_agg(height) @> '[1]' from raw.blocks;
    select array_agg(height) @> array[1::bigint] from raw.blocks;
    select json_agg(height)::jsonb from raw.blocks;
    select json_agg(t)::text from (select height from raw.blocks) t;
    select translate(string_agg(token, ','), '.', '/') from app.ft_tokens;
    select rtrim(string_agg(token, ','), ',') from app.ft_tokens;
    select trim(both ',' from string_agg(token, ',')) from app.ft_tokens;
    select position('Flow' in string_agg(token, ',')) from app.ft_tokens;
    select encode(sha256(convert_to(string_agg(token, ','), 'UTF8')), 'hex') from app.ft_tokens;
    select array_remove(array_agg(error_message), null) from raw.transactions;
    select array_remove(array_agg(distinct status), 'SEALED') from raw.transactions;
    select array_positions(array_agg(height), 5) from raw.blocks;
    select array_sort(array_agg(height)) from raw.blocks;
    select concat_ws('; ', string_agg(status, ','), max(error_message)) from raw.transactions;
    select jsonb_object_agg(status, n)::text from (select status, count(*) n from raw.transactions group by 1) s;
    select count(*) from (select array_agg(type) types from raw.events group by block_height) t where types &&
        array['a', 'b'];
    select height, array(select type from raw.events e where e.block_height = b.height) from raw.blocks b limit 5;
    select array_to_string(array(select type from raw.events e where e.block_height = b.height), ',') from
        raw.blocks b limit 5;
    select lower(array_to_string(array_agg(type), ',')) from raw.events;
    select left(string_agg(type, ','), 100) from raw.events;
    select length(string_agg(type, ',')) from raw.events;
    select cardinality(array_agg(distinct type)) from raw.events;
    select jsonb_agg(payload)::text like '%amount%' from raw.events where block_height = 1;
    select upper(string_agg(status, ',')) || lower(string_agg(status, ',')) from raw.transactions;
    select string_agg(distinct upper(status), ',') || ' / ' || string_agg(distinct lower(status), ',') from
        raw.transactions;
    select 'a' = any(string_to_array(string_agg(type, ','), ',')) from raw.events;
    select to_json(array_agg(distinct status)), to_jsonb(array_agg(height)) from raw.transactions t join raw.blocks
        b on b.height = t.block_height;
    select array_to_string(array_agg(token || '=' || amount::text), '&') from app.ft_transfers;
    select jsonb_path_query_array(jsonb_agg(payload), '$[*].amount') from raw.events;
    select string_agg(format('%s (%s)', status, n), ', ') from (select status, count(*) n from raw.transactions
        group by 1) s;
    select translate(string_agg(status, ','), '{}"', '') from raw.transactions;
    select position('A.1654653399040a61.FlowToken' in string_agg(type, ',')) from raw.events;
  `),
  'values of single rows': statements(String.raw`
    select jsonb_pretty(payload::jsonb) from raw.events limit 1;
    select split_part(type, '.', 3) as contract, count(*) from raw.events group by 1 order by 2 desc limit 10;
    select regexp_replace(type, '^A\.[0-9a-f]{16}\.', '') from raw.events limit 5;
    select regexp_matches(type, 'A\.([0-9a-f]+)\.(\w+)') from raw.events limit 5;
    select payload ->> 'amount', (payload -> 'from') from raw.events limit 1;
    select sum((payload ->> 'amount')::numeric) from raw.events where type like 'A.%.FlowToken.TokensDeposited';
    select sum(amount::numeric) / count(*) as avg_amount, round(sum(amount::numeric) / 1e8, 4) from app.ft_transfers;
    select power(10, 18)::numeric, 2 ^ 10, sqrt(2), exp(1), ln(10), log(2, 64);
    select round(avg(amount), 2), stddev(amount), percentile_cont(0.5) within group (order by amount) from
        app.ft_transfers;
    with w as (select date_trunc('day', timestamp) d, sum(tx_count) n from raw.blocks group by 1) select d, n,
        avg(n) over (order by d rows between 6 preceding and current row), lag(n) over (order by d), round(100.0 *
        (n - lag(n) over (order by d)) / nullif(lag(n) over (order by d), 0), 2) from w;
    with recursive t(n) as (select 1 union all select n + 1 from t where n < 100) select sum(n) from t;
    select to_char(b.timestamp, 'YYYY-MM-DD HH24:MI'), encode(t.id, 'hex') from raw.transactions t join raw.blocks b
        on b.height = t.block_height limit 1;
    select substring(encode(id, 'hex') from 1 for 8) || '…' from raw.transactions limit 1;
    select format('%s: %s', status, count(*)) from raw.transactions group by status;
    select length(convert_from(script_bytes, 'UTF8')) from raw.scripts limit 1;
    select convert_from(script_bytes, 'UTF8') ilike '%transfer%' from raw.scripts limit 1;
    select position('import' in convert_from(script_bytes, 'UTF8')) from raw.scripts limit 1;
    select replace(convert_from(script_bytes, 'UTF8'), 'import', 'IMPORT') from raw.scripts limit 1;
    select translate(token, '.', '/') , reverse(token), initcap(token), lpad(token, 20, '0'), repeat('*', 5) from
        app.ft_tokens;
    select repeat('#', (count(*) / 10)::int) as bar, status from raw.transactions group by 2;
    select concat_ws(', ', status, error_message) from raw.transactions limit 1;
    select type similar to '%(Deposit|Withdraw)%' from raw.events limit 1;
    select extract(epoch from max(timestamp) - min(timestamp)) from raw.blocks;
    select width_bucket(amount, 0, 100, 10), count(*) from app.ft_transfers group by 1;
    select * from jsonb_array_elements_text('["a","b"]') x;
    select coalesce(nullif(error_message, ''), 'none'), greatest(1, 2), least(1, 2) from raw.transactions limit 1;
    select key, value from jsonb_each(jsonb_build_object('a', 1));
  `),
}
