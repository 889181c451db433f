import type pg from 'pg'
import { pgText } from '../../db/copy/pg-text.ts'
import type { KnownScript } from '../script-cache.ts'

/** Stores scripts that may be there already. In the order of their hashes, so that two writers never wait crosswise. */
export async function insertScripts(db: pg.Pool, scripts: readonly KnownScript[]): Promise<void> {
  const sorted = [...scripts].sort((a, b) => Buffer.compare(a.hash, b.hash))
  const texts = sorted.map((row) => pgText(row.script.toString('utf8')))
  await db.query({
    name: 'ingest-insert-scripts',
    text: `
      insert into raw.scripts (script_hash, script_text, script_bytes)
      select * from unnest($1::bytea[], $2::text[], $3::bytea[])
      on conflict (script_hash) do nothing`,
    values: [
      sorted.map((row) => row.hash),
      texts,
      sorted.map((row, i) => (Buffer.from(texts[i] as string).equals(row.script) ? null : row.script)),
    ],
  })
}
