import type pg from 'pg'
import { pgText } from '../../platform/db/copy/pg-text.ts'
import type { UndecodedInput } from '../batch.ts'

/** Bytes of inputs in a statement, which carries them as hex digits. */
const maxStatementBytes = 4 * 1024 * 1024

/** Logs inputs that could not be decoded, each once; one that is met again is counted and open again. */
export async function insertUndecoded(
  client: pg.ClientBase,
  workerName: string,
  inputs: readonly UndecodedInput[],
): Promise<void> {
  let part: UndecodedInput[] = []
  let bytes = 0
  for (const input of inputs) {
    if (bytes > 0 && bytes + input.rawData.length > maxStatementBytes) {
      await insertPart(client, workerName, part)
      part = []
      bytes = 0
    }
    part.push(input)
    bytes += input.rawData.length
  }
  await insertPart(client, workerName, part)
}

async function insertPart(client: pg.ClientBase, workerName: string, inputs: readonly UndecodedInput[]): Promise<void> {
  await client.query(
    `insert into raw.indexing_errors as e
       (worker_name, block_height, tx_index, event_index, code, message, event_type, raw_data)
     select $1, *
     from unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::bytea[])
     on conflict (worker_name, block_height, tx_index, event_index, code) do update
     set occurrences = e.occurrences + 1, last_seen_at = now(), resolved_at = null, message = excluded.message,
         raw_data = excluded.raw_data`,
    [
      workerName,
      inputs.map((i) => i.blockHeight),
      inputs.map((i) => i.txIndex),
      inputs.map((i) => i.eventIndex),
      inputs.map((i) => i.code),
      inputs.map((i) => pgText(i.message)),
      inputs.map((i) => (i.eventType === undefined ? null : pgText(i.eventType))),
      inputs.map((i) => i.rawData),
    ],
  )
}
