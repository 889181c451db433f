import type pg from 'pg'
import type { DeriveProblem } from '../../../../jobs/worker.ts'
import { pgText } from '../../../db/copy/pg-text.ts'

/**
 * Logs what a worker could not use, each once; one that is met again is counted and open again.
 * The payload of the event is attached, as JSON text. By the unique index.
 */
export async function recordProblems(
  client: pg.ClientBase,
  workerName: string,
  problems: readonly DeriveProblem[],
): Promise<void> {
  const once = [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()]
  await client.query({
    name: 'farm-record-problems',
    text: `
      insert into raw.indexing_errors as e (worker_name, block_height, tx_index, event_index, code, message, event_type, raw_data)
      select $1, p.*, (
        select convert_to(r.payload::text, 'UTF8') from raw.events r
        where r.block_height = p.block_height and r.tx_index = p.tx_index and r.event_index = p.event_index
      )
      from unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[])
        as p (block_height, tx_index, event_index, code, message, event_type)
      on conflict (worker_name, block_height, tx_index, event_index, code) do update
      set occurrences = e.occurrences + 1, last_seen_at = now(), resolved_at = null, message = excluded.message, raw_data = excluded.raw_data`,
    values: [
      workerName,
      once.map((p) => p.blockHeight),
      once.map((p) => p.txIndex),
      once.map((p) => p.eventIndex),
      once.map((p) => p.code),
      once.map((p) => pgText(p.message)),
      once.map((p) => (p.eventType === undefined ? null : pgText(p.eventType))),
    ],
  })
}

function keyOf({ blockHeight, txIndex, eventIndex, code }: DeriveProblem): string {
  return `${blockHeight}/${txIndex}/${eventIndex}/${code}`
}
