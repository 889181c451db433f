import type pg from 'pg'
import { pgText } from '../../db/copy/pg-text.ts'
import type { KnownShape } from '../shape-cache.ts'

/**
 * Stores shapes of events that may be there already, and learns their numbers. In the order of their hashes, so that two writers
 * never wait crosswise.
 */
export async function numberShapes(db: pg.Pool, shapes: Iterable<KnownShape>): Promise<void> {
  const sorted = [...shapes].sort((a, b) => Buffer.compare(a.hash, b.hash))
  const hashes = sorted.map(({ hash }) => hash)
  await db.query({
    name: 'ingest-insert-event-shapes',
    text: `
      insert into raw.event_shapes (hash, type, fields)
      select hash, type, array(select json_array_elements_text(fields))
      from unnest($1::bytea[], $2::text[], $3::json[]) as given (hash, type, fields)
      on conflict (hash) do nothing`,
    values: [
      hashes,
      sorted.map(({ shape }) => pgText(shape.type)),
      sorted.map(({ shape }) => JSON.stringify(shape.fields)),
    ],
  })
  // A statement of its own: what another writer has just committed the first one met, but does not see.
  const { rows } = await db.query<{ id: number; hash: Buffer }>({
    name: 'ingest-event-shape-numbers',
    text: 'select id, hash from raw.event_shapes where hash = any ($1::bytea[])',
    values: [hashes],
  })
  const ids = new Map(rows.map(({ id, hash }) => [hash.toString('latin1'), id]))
  for (const shape of sorted) shape.id = ids.get(shape.hash.toString('latin1'))
}
