import pg from 'pg'
import type { BareRead } from './cases.ts'
import type { LoadOptions } from './measure-load.ts'

/** Statements a second by `pg` alone, named, over as many connections as the API is asked over. */
export async function measureBare(
  url: string,
  { text, values }: BareRead,
  { seconds, connections }: LoadOptions,
): Promise<number> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  let count = 0
  const begin = performance.now()
  const end = begin + seconds * 1000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        await client.query({ name: 'bare', text, values: [...(values[count % values.length] ?? [])], rowMode: 'array' })
        count++
      }
    }),
  )
  const took = (performance.now() - begin) / 1000
  await Promise.all(clients.map((client) => client.end()))
  return count / took
}
