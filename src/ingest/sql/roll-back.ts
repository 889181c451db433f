import type pg from 'pg'

/**
 * Deletes every raw row above a height and cuts the coverage of both ingesters, in one transaction. Locks the
 * checkpoints first, so that a commit under way ends before or is refused after (its generation is gone).
 * The deletes go by the primary keys of the touched partitions.
 */
export async function rollBackRaw(client: pg.ClientBase, ancestor: number): Promise<void> {
  await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
  await client.query(
    `with removed as (
       select height, tx_count, event_count from raw.blocks where height > $1
     ), counted as (
       select c.service_name, count(*) as blocks, sum(r.tx_count) as txs, sum(r.event_count) as events
       from removed r join app.indexing_checkpoints c
         on c.service_name in ('main_ingester', 'history_ingester') and c.covered @> r.height
       group by c.service_name
     )
     update app.indexing_checkpoints c
     set block_count = block_count - k.blocks, tx_count = tx_count - k.txs, event_count = event_count - k.events
     from counted k where k.service_name = c.service_name`,
    [ancestor],
  )
  await client.query(
    `delete from raw.tx_lookup l using raw.transactions t
     where t.block_height > $1 and l.id = t.id and l.block_height = t.block_height`,
    [ancestor],
  )
  await client.query('delete from raw.block_lookup l using raw.blocks b where b.height > $1 and l.id = b.id', [
    ancestor,
  ])
  for (const table of ['event_chunks', 'transactions', 'unavailable', 'indexing_errors']) {
    await client.query(`delete from raw.${table} where block_height > $1`, [ancestor])
  }
  for (const table of ['blocks', 'failing_heights'])
    await client.query(`delete from raw.${table} where height > $1`, [ancestor])
  await client.query(
    `update app.indexing_checkpoints
     set covered = covered - int8multirange(int8range($1 + 1, null)), generation = generation + 1, updated_at = now(),
         last_height = case when covered && int8multirange(int8range(null, $1 + 1)) then least(last_height, $1) end`,
    [ancestor],
  )
  await client.query(`select pg_notify('flowfarm_rollback', ($1::bigint + 1)::text)`, [ancestor])
}
