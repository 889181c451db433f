import type { Pool } from 'pg'
import { withTransaction } from '../pool.ts'
import { catalogQueries } from './catalog-queries.ts'

interface CatalogLine {
  readonly object: string
  readonly place: string
  readonly line: string
}

/**
 * The whole schema of a database as readable text, the same for the same schema on every server of one major version:
 * extensions, schemas, types, sequences, functions, tables with columns, defaults, constraints, indexes and comments, views,
 * grants. Objects are in byte order of their kind and name. No data, no partitions, no owners.
 */
export async function dumpSchema(pool: Pool): Promise<string> {
  const objects = new Map<string, CatalogLine[]>()
  await withTransaction(pool, async (client) => {
    await client.query("SET LOCAL search_path = ''")
    for (const query of catalogQueries) {
      const { rows } = await client.query<CatalogLine>(query)
      for (const row of rows) {
        const lines = objects.get(row.object)
        if (lines === undefined) objects.set(row.object, [row])
        else lines.push(row)
      }
    }
  })
  const blocks = [...objects.keys()].toSorted(byBytes).map((object) => {
    const lines = (objects.get(object) ?? []).toSorted((a, b) => byBytes(a.place, b.place))
    return lines.map((row) => row.line).join('\n')
  })
  return `${blocks.join('\n\n')}\n`
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
