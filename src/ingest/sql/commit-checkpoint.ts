import type pg from 'pg'
import type { Batch } from '../batch.ts'

/**
 * Adds the heights of a batch to the ingester's coverage and announces them; both take effect with the COMMIT.
 * One row by primary key; the multirange has a handful of ranges, so its size does not matter. Heights that were given
 * up above the lowest covered one do not hold back `last_height`.
 * @returns false when the heights are covered already, or a rollback came between: then nothing may be committed
 */
export async function commitCheckpoint(
  client: pg.ClientBase,
  ingester: { name: string; generation: number },
  batch: Pick<Batch, 'range' | 'blockCount' | 'txCount' | 'eventCount'>,
): Promise<boolean> {
  const { from, to } = batch.range
  const { rowCount } = await client.query({
    name: 'ingest-commit-checkpoint',
    text: `
      with checkpoint as (
        update app.indexing_checkpoints
        set covered = covered + int8multirange(int8range($2, $3)),
            last_height = case $1
              when 'main_ingester' then
                (select min(upper(r)) - 1 from unnest(covered + int8multirange(int8range($2, $3)) + (
                  select coalesce(range_agg(int8range(block_height, block_height + 1)), '{}')
                  from raw.unavailable where part = 'block' and block_height >= coalesce(lower(covered), $2)
                )) r)
              else least(last_height, $2)
            end,
            block_count = block_count + $4, tx_count = tx_count + $5, event_count = event_count + $6, updated_at = now()
        where service_name = $1 and generation = $7 and not covered && int8range($2, $3)
        returning 1
      ), fetched as (
        delete from raw.failing_heights f where height >= $2 and height < $3
          and not exists (select from raw.unavailable u where u.block_height = f.height)
      )
      select pg_notify('flowfarm_blocks', $1 || ':' || $2 || ':' || $3) from checkpoint`,
    values: [ingester.name, from, to, batch.blockCount, batch.txCount, batch.eventCount, ingester.generation],
  })
  return rowCount === 1
}
