import type pg from 'pg'
import { pgText } from '../../platform/db/copy/pg-text.ts'
import type { UnavailablePart } from '../batch.ts'

/** Records what no access node can serve of the blocks of a batch. */
export async function insertUnavailable(client: pg.ClientBase, parts: readonly UnavailablePart[]): Promise<void> {
  await client.query(
    `insert into raw.unavailable (block_height, part, tx_index, reason, endpoint)
     select * from unnest($1::bigint[], $2::text[], $3::integer[], $4::text[], $5::text[])
     on conflict (block_height, part, tx_index) do update
     set reason = excluded.reason, endpoint = excluded.endpoint, recorded_at = now()`,
    [
      parts.map((p) => p.blockHeight),
      parts.map((p) => p.part),
      parts.map((p) => p.txIndex),
      parts.map((p) => pgText(p.reason)),
      parts.map((p) => p.endpoint),
    ],
  )
}
