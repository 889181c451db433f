import type { RefusalCode } from '../../../../src/ask/sql/sql-refusal.ts'

/** Statements that must not run, by why. Each is tried again under the role alone, without the gate. */
export const refusedStatements: Readonly<Record<RefusalCode, readonly string[]>> = {
  'sql-keyword': [
    "insert into app.chain default values", "update app.accounts set first_seen_height = 0", 'delete from raw.blocks',
    'drop table raw.blocks', 'alter role flowfarm_reader superuser', 'create table public.loot (a int)', 'truncate raw.blocks',
    'grant all on app.developer_keys to public', 'revoke all on raw.blocks from public', 'prepare p as select 1; execute p',
    'with gone as (delete from raw.blocks returning *) select * from gone', 'select 1; drop table raw.blocks',
    "select 'Delete'", 'select 1 -- update', 'select 1 as "create"', 'select * from raw.blocks for update',
    'with made as (insert into app.chain default values returning 1) select * from made', '/* exec */ select 1',
    'explain analyze delete from raw.blocks', 'create temp table t as select 1', 'merge into raw.blocks b using raw.blocks c on true when matched then delete',
  ],
  'sql-not-select': [
    '; ;', '-- nothing', 'select 1; select 2', 'commit; select 1', 'rollback', 'begin', 'end; select 1', 'abort', 'savepoint s',
    'set statement_timeout = 0', 'set role flowfarm', 'set session authorization flowfarm', 'reset role', 'reset all', 'show all', 'show statement_timeout',
    'set transaction read write', 'set local transaction_read_only = off', "copy (select 1) to program 'touch /tmp/owned'", "copy raw.blocks to '/tmp/blocks'",
    "copy app.developer_keys from '/etc/passwd'", 'copy raw.blocks to stdout', 'call pg_catalog.pg_sleep(1)', "do 'begin perform 1; end'", 'vacuum', 'analyze', 'checkpoint',
    'cluster', 'reindex table raw.blocks', 'lock table raw.blocks', 'listen x', 'notify x', "notify flowfarm_blocks, '1'", 'unlisten *', 'discard all', 'explain select 1',
    'explain analyze select 1', 'explain (analyze) select nextval($$app.lease_generation$$)', 'values (1)', 'values (pg_sleep(1))', 'table raw.blocks', 'table app.developer_keys',
    'declare c cursor for select 1', 'fetch all from c', 'close all', 'deallocate all', 'prepare p as select 1', "comment on table raw.blocks is 'x'", "security label on table raw.blocks is 'x'",
    "load 'dblink'", 'refresh materialized view app.x', 'import foreign schema x from server y into z', 'reassign owned by flowfarm to flowfarm_reader',
    'values (1) union select 2', 'table raw.blocks union all select * from raw.blocks', '(values (1)) order by 1', "prepare transaction 'x'", 'start transaction', 'select 1;;select 2',
  ],
  'sql-clause': [
    "select xmlelement(name a, pg_sleep(1))", "select * from xmltable('/a' passing '<a/>' columns b regclass path 'b')",
    "select 'a' < 'b' collate \"en-x-icu\"", "select 'a' collate \"und-x-icu\"", "select 'a' collate app.other", "select height from raw.blocks order by id::text collate pg_catalog.\"de-DE-x-icu\"",
    'select * into public.loot from raw.blocks', 'select 1 into temp loot', 'select 1 into temporary table loot', 'select 1 into unlogged loot',
    'select * from (select * from raw.blocks for share) b', 'select * from raw.blocks for share', 'select * from raw.blocks for key share', 'select * from raw.blocks for key share skip locked',
    'select $1', 'select * from raw.blocks where height = $1', 'select 1 union (select 2 for share)', 'with b as (select * from raw.blocks for share) select * from b',
    'select (select height from raw.blocks for share limit 1)', 'with m as (merge into raw.blocks b using raw.blocks c on true when matched then do nothing returning 1) select * from m',
  ],
  'sql-syntax': [
    'selekt 1', 'select (', "select 'open", 'select 1 from', 'with x select 1', 'select * from raw.blocks where', 'select 1 /* open', 'select $$open', '\\d', '\\! touch /tmp/owned',
    'select 1 limit', '```sql select 1 ```', 'Here is the statement: SELECT 1', "select u&'\\zzzz'", 'select 1 for key share of', 'select * from raw.blocks for no keys share',
  ],
  'sql-function': [
    'select path(polygon(3, circle(point(0, 0), 1)))', "select normalize('a', nfd)", "select 'a' is nfc normalized", "select bit_length(x) from (select normalize('a')) t(x)",
    "select to_tsvector('a')", "select t.tsvector from (select 'a'::text) t(x)", "select xpath('/a', null)", "select (x).normalize from (select 'a'::text as x) t", "select x.point from repeat('a', 10) as x",
    'select host(null)', "select set_bit('a', 1, 1)", "select similarity('a', 'b')", "select pg_catalog.path(null)",
    // Time, and sleeping in all the ways to call a function.
    'select pg_sleep(1)', 'select pg_catalog.pg_sleep(1)', 'select PG_SLEEP(1)', 'select "pg_sleep"(1)', "select u&\"pg\\005fsleep\"(1)", 'select * from pg_sleep(1)', 'select * from pg_catalog.pg_sleep(1)',
    'select * from rows from (pg_sleep(1), pg_sleep(2)) as r', 'select * from rows from (generate_series(1, 2), pg_sleep(1)) with ordinality', 'select (1::float8).pg_sleep', 'select (1.0).pg_sleep',
    'select t.pg_sleep from generate_series(1, 1) as t', 'select (select 1 from pg_sleep(1))', 'select 1 where exists (select from pg_sleep(1))', 'select 1 order by pg_sleep(1)',
    'select 1 group by pg_sleep(1)', 'select count(*) filter (where pg_sleep(1) is null)', 'select sum(1) over (order by pg_sleep(1))', 'select 1 limit (select 1 from pg_sleep(1))',
    'select 1 offset (select 1 from pg_sleep(1))', 'select case when pg_sleep(1) is null then 1 end', 'select coalesce(pg_sleep(1), null)', 'select array[pg_sleep(1)::text]', 'select row(pg_sleep(1))',
    'select * from raw.blocks b left join lateral pg_sleep(1) on true', 'select * from raw.blocks b join lateral (select pg_sleep(b.height)) s on true', "select * from (values (pg_sleep(1))) v",
    'with recursive t(n) as (select 1 union all select n + 1 from t where pg_sleep(1) is not null) select * from t', 'select distinct on (pg_sleep(1)) 1', 'select grouping(pg_sleep(1))',
    "select pg_sleep_for('1 s')", "select pg_sleep_until(now() + interval '1 s')", 'select 1 window w as (order by pg_sleep(1))', 'select (array[1])[pg_sleep(1)::text::int]',
    'select json_object(1: pg_sleep(1)::text)', 'select json_array(pg_sleep(1)::text)', "select json_arrayagg(pg_sleep(1)::text)", "select * from json_table('[1]', '$[*]' columns (a int path '$')) j, pg_sleep(1)",
    'select greatest(pg_sleep(1)::text)', 'select nullif(pg_sleep(1)::text, $$a$$)', 'select * from raw.blocks tablesample system(1) where pg_sleep(1) is null', 'select 1 having pg_sleep(1) is null',
    // Settings and roles.
    "select set_config('statement_timeout', '0', false)", "select set_config('transaction_read_only', 'off', true)", "select set_config('role', 'flowfarm', false)", "select set_config('search_path', 'public', false)",
    "select set_config('default_transaction_read_only', 'off', false)", "select current_setting('data_directory')", "select current_setting('is_superuser')", "select * from set_config('role', 'none', false)",
    "select set_config(name, 'off', false) from (values ('transaction_read_only')) v(name)", 'select pg_reload_conf()', 'select * from pg_show_all_settings()',
    // Files, programs, large objects.
    "select pg_read_file('/etc/passwd')", "select pg_read_binary_file('postgresql.conf')", "select pg_ls_dir('/')", 'select * from pg_ls_waldir()', "select pg_stat_file('/etc/passwd')", 'select * from pg_ls_logdir()', 'select pg_current_logfile()',
    'select lo_create(0)', "select lo_from_bytea(0, 'x')", "select lo_import('/etc/passwd')", "select lo_export(1, '/tmp/x')", 'select lo_unlink(1)', 'select lo_get(1)', "select lo_put(1, 0, 'x')", 'select loread(1, 1)', 'select lo_open(1, 131072)',
    // Other sessions, locks, messages.
    'select pg_terminate_backend(1)', 'select pg_cancel_backend(pg_backend_pid())', 'select pg_advisory_lock(1)', 'select pg_try_advisory_lock(7364829104)', 'select pg_advisory_xact_lock(1)', 'select pg_advisory_unlock_all()',
    "select pg_notify('flowfarm_blocks', '1')", 'select txid_current()', 'select pg_current_xact_id()', 'select pg_stat_get_activity(null)', 'select * from pg_stat_get_activity(null)', 'select pg_backend_pid()', 'select inet_server_addr()', 'select inet_client_port()',
    'select pg_export_snapshot()', "select pg_logical_emit_message(true, 'a', 'b')", 'select pg_switch_wal()', 'select pg_promote()', 'select pg_rotate_logfile()', "select pg_create_restore_point('x')", 'select * from pg_lock_status()',
    // SQL inside a text.
    "select query_to_xml('select * from app.developer_keys', true, true, '')", "select database_to_xml(true, true, '')", "select schema_to_xml('app', true, true, '')", "select table_to_xml('app.developer_keys', true, true, '')", "select cursor_to_xml('c', 1, true, true, '')",
    "select query_to_xmlschema('select 1', true, true, '')", "select ts_stat('select 1')", "select * from ts_stat('select to_tsvector(name) from app.developer_keys')", "select ts_rewrite('a'::tsquery, 'select 1')", "select dblink('', 'select 1')", "select * from dblink_exec('', 'select 1')", "select crosstab('select 1')",
    // Sequences, names, definitions.
    "select nextval('app.lease_generation')", "select setval('app.lease_generation', 1)", "select currval('app.lease_generation')", 'select lastval()', "select has_table_privilege('app.developer_keys', 'SELECT')", "select to_regclass('app.developer_keys')",
    "select regclass('app.developer_keys')", "select pg_get_viewdef('app.contracts'::text)", "select pg_get_functiondef(1)", "select pg_relation_size('app.developer_keys')", "select pg_total_relation_size('app.developer_keys')", 'select pg_database_size(current_database())', 'select pg_tablespace_location(1)',
    "select col_description(1259, 1)", "select obj_description(1259, 'pg_class')", "select row_security_active('app.developer_keys')", 'select format_type(23, null)', "select acldefault('r', 10)", "select pg_get_userbyid(10)", "select pg_table_size('app.developer_keys')",
    // Not made for callers, or not there.
    "select boolin('t')", "select record_in('()', 2249, -1)", "select array_in('{}', 23, -1)", "select regclassin('app.developer_keys')", 'select int4send(1), numeric_send(1), currtid2(1, 2)', 'select no_such_function(1)', 'select app.no_such_function(1)', "select public.pg_sleep(1)", 'select setseed(0.5)', 'select binary_upgrade_set_next_pg_type_oid(1)',
    "select pg_input_is_valid('app.developer_keys', 'regclass')", 'select satisfies_hash_partition(1, 2, 3, 4)', 'select pg_import_system_collations(1)', 'select * from raw.blocks tablesample system_rows(1)', 'select current_query()', 'select pg_stat_reset()', 'select pg_event_trigger_dropped_objects()', 'select txid_status(1)', "select pg_catalog.set_config('role', 'none', false)",
  ],
  'sql-operator': [
    'select path(polygon(3, circle(point(0, 0), 1))) <-> path(polygon(3, circle(point(0, 0), 2)))', "select to_tsvector('a') @@ to_tsquery('a')", "select '(0,0)' ~= '(1,1)'", "select !! 'a'",
    'select 1 operator(public.+) 1', 'select 1 <=> 2', "select 'a' operator(app.@) 'b'", 'select 1 order by 1 using operator(public.<)', 'select 1 operator(raw.=) any (select 1)',
  ],
  'sql-type': [
    "select path '((0,0),(1,1))'", "select '(0,0)'::point", "select b'101'", "select x'1F'", "select 1::bit(4)", "select '1'::varbit", "select 'a'::tsvector", "select 'a'::tsquery", "select '<a/>'::xml",
    "select '1.0.0.0'::inet", "select '1.0.0.0/8'::cidr", "select '1'::money", "select '{(0,0)}'::point[]",
    "select 'app.developer_keys'::regclass", "select 1259::regclass", "select cast('pg_sleep' as regproc)", "select '10'::regrole", "select 'app'::regnamespace", "select '{1259}'::regclass[]", "select '{1259}'::_regclass", "select 1::oid::pg_catalog.regclass::text",
    "select 'a=r/flowfarm'::aclitem", 'select null::app.developer_keys', 'select ((null::_developer_keys)[1]).*', 'select null::app._webhook_endpoints', 'select (null::app.webhook_endpoints).*', 'select * from json_populate_recordset(null::app.developer_keys, $$[{}]$$)', "select 'x'::no_such_type", "select null::pg_authid", "select null::pg_catalog.pg_shadow",
    "select 'c'::refcursor", "select * from jsonb_to_record('{}') as t(a regclass)", "select * from json_table('[]', '$[*]' columns (a regclass path '$')) j", "select json_value('1', '$' returning regclass)",
  ],
  'sql-relation': [
    'select * from app.developer_keys', 'select * from developer_keys', 'select key_hash from "app"."developer_keys"', "select * from u&\"app\".u&\"developer\\005fkeys\"", 'select * from app.webhook_endpoints', 'select secret from webhook_endpoints', 'select * from app.webhook_deliveries', 'select * from app.worker_leases',
    'select * from app.webhook_subscriptions', 'select * from app.indexing_checkpoints', 'select * from app.schema_migrations', 'select * from app.fault_drills', 'select * from app.backfill_requests', 'select * from bullmq.job', 'select * from pgboss.job',
    'select * from pg_authid', 'select * from pg_shadow', 'select * from pg_catalog.pg_authid', 'select rolname, rolpassword from pg_roles', 'select * from pg_user', 'select * from pg_stat_activity', 'select * from pg_settings', 'select * from pg_file_settings', 'select * from pg_hba_file_rules', 'select * from pg_stats',
    'select * from pg_class', 'select * from pg_proc', 'select * from pg_largeobject', 'select * from pg_locks', 'select * from pg_database', 'select * from pg_tables', 'select * from pg_views', 'select prosrc from pg_catalog.pg_proc', 'select * from pg_stat_statements', 'select * from pg_config', 'select * from pg_user_mappings',
    'select * from information_schema.routines', 'select * from information_schema.role_table_grants', 'select * from information_schema.applicable_roles', 'select * from information_schema.user_mapping_options',
    'with pg_authid as (select * from pg_authid) select * from pg_authid', 'select (with pg_authid as (select 1) select 1), * from pg_authid', 'with a as (with developer_keys as (select 1) select 1) select * from developer_keys', 'with a as (select * from b), b as (select 1) select * from pg_shadow',
    'with developer_keys as (select * from developer_keys) select * from developer_keys', 'select 1 union (with developer_keys as (select 1) select * from developer_keys) union select id from developer_keys', 'select * from raw.blocks, app.developer_keys', 'select * from raw.blocks b join lateral (select * from app.developer_keys) k on true',
    'select (select key_hash from app.developer_keys limit 1)', 'select 1 where exists (select from app.developer_keys)', 'select * from raw.blocks where height in (select id from app.developer_keys)', 'select 1 order by (select max(id) from app.developer_keys)', 'select array(select prefix from app.developer_keys)',
    'select * from no_such_table', 'select * from no_such_schema.blocks', 'select * from flowfarm.raw.blocks', 'select * from raw.accounts', 'select * from app.lease_generation', 'select last_value from app.lease_generation', 'select * from pg_toast.pg_toast_1260', 'select * from pg_temp.loot', 'select * from only app.developer_keys', 'select * from app.developer_keys tablesample system(100)',
    'with recursive t as (select 1 from t2 union select 1), t2 as (select * from pg_authid) select * from t',
  ],
  'sql-text': [
    '', '   ', '\n\t', 'select 1\0; drop', 'select 1\0', "select '\ud800'", `select '${'x'.repeat(60_000)}'`, `select 1${'+1'.repeat(24_000)}`,
  ],
}
