import { once } from 'node:events'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

export interface CopiedTable {
  readonly name: string
  readonly heightColumn: string | undefined
}

export const rawTables: readonly CopiedTable[] = [
  { name: 'raw.blocks', heightColumn: 'height' },
  { name: 'raw.transactions', heightColumn: 'block_height' },
  { name: 'raw.event_chunks', heightColumn: 'block_height' },
  { name: 'raw.tx_lookup', heightColumn: 'block_height' },
  { name: 'raw.block_lookup', heightColumn: 'height' },
]

export async function tablesOf(pool: pg.Pool, schemas: readonly string[]): Promise<CopiedTable[]> {
  const { rows } = await pool.query<{ name: string; heightColumn: string | null }>(
    `
    select n.nspname || '.' || c.relname as name,
      (select a.attname from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
         and a.attname in ('block_height', 'height') order by a.attname limit 1) as "heightColumn"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('worker_leases', 'indexing_checkpoints')
    order by 1`,
    [schemas],
  )
  return rows.map(({ name, heightColumn }) => ({ name, heightColumn: heightColumn ?? undefined }))
}

export interface BareCopy {
  readonly seconds: number
  readonly cpuSeconds: number
}

/**
 * Writes the stored rows again into empty copies of the tables with indexes, over two connections.
 * @param cpu CPU seconds of PostgreSQL
 */
export async function bareCopy(
  pool: pg.Pool,
  tables: readonly CopiedTable[],
  { from, to, batchBlocks }: { readonly from: number; readonly to: number; readonly batchBlocks: number },
  cpu: () => number,
): Promise<BareCopy> {
  const batches = await readBatches(pool, tables, from, to, batchBlocks)
  const lanes = await Promise.all([pool.connect(), pool.connect()])
  try {
    return await writeBatches(lanes, tables, batches, cpu)
  } finally {
    for (const lane of lanes) lane.release(true)
  }
}

interface Rows {
  readonly target: string
  readonly bytes: Buffer
}

async function readBatches(
  pool: pg.Pool,
  tables: readonly CopiedTable[],
  from: number,
  to: number,
  batchBlocks: number,
): Promise<Rows[][]> {
  const source = await pool.connect()
  const read = async (table: string, condition: string): Promise<Rows> => {
    const columns = await writtenColumns(source, table)
    const chunks: Buffer[] = []
    const rows = source.query(copyTo(`copy (select ${columns} from ${table} ${condition}) to stdout (format binary)`))
    rows.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(rows, 'end')
    return { target: `${bare(table)} (${columns})`, bytes: Buffer.concat(chunks) }
  }
  const batches: Rows[][] = []
  try {
    for (let start = from; start < to; start += batchBlocks) {
      const batch: Rows[] = []
      for (const { name, heightColumn } of tables) {
        if (heightColumn === undefined) continue
        const rows = await read(
          name,
          `where ${heightColumn} >= ${start} and ${heightColumn} < ${Math.min(to, start + batchBlocks)}`,
        )
        if (rows.bytes.length > emptyCopyBytes) batch.push(rows)
      }
      batches.push(batch)
    }
    for (const { name, heightColumn } of tables) if (heightColumn === undefined) batches.push([await read(name, '')])
    return batches
  } finally {
    source.release(true)
  }
}

async function writtenColumns(client: pg.PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  return rows[0]?.columns ?? ''
}

const emptyCopyBytes = 21

async function writeBatches(
  [first, second]: [pg.PoolClient, pg.PoolClient],
  tables: readonly CopiedTable[],
  batches: readonly Rows[][],
  cpu: () => number,
): Promise<BareCopy> {
  await first.query('create schema bare')
  for (const { name } of tables) await first.query(`create table ${bare(name)} (like ${name} including all)`)
  await first.query('checkpoint')
  const cpuBefore = cpu()
  const started = performance.now()
  const work = batches.values()
  const lane = async (client: pg.PoolClient): Promise<void> => {
    for (const batch of work) {
      await client.query('begin')
      for (const { target, bytes } of batch) {
        const stream = client.query(copyFrom(`copy ${target} from stdin (format binary)`))
        const finished = once(stream, 'finish')
        stream.end(bytes)
        await finished
      }
      await client.query('commit')
    }
  }
  await Promise.all([lane(first), lane(second)])
  const seconds = (performance.now() - started) / 1000
  const cpuSeconds = cpu() - cpuBefore
  await first.query('drop schema bare cascade')
  return { seconds, cpuSeconds }
}

function bare(table: string): string {
  return `bare.${table.replace('.', '_')}`
}
