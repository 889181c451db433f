import { once } from 'node:events'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** The raw tables that a block goes into, with the columns that rows of a height range are chosen by. */
const tables = ['raw.blocks', 'raw.transactions', 'raw.event_chunks', 'raw.tx_lookup', 'raw.block_lookup'] as const
const heightColumn: Record<(typeof tables)[number], string> = {
  'raw.blocks': 'height', 'raw.transactions': 'block_height', 'raw.event_chunks': 'block_height', 'raw.tx_lookup': 'block_height', 'raw.block_lookup': 'height',
}

export interface BareCopy {
  readonly seconds: number
  /** Of PostgreSQL. */
  readonly cpuSeconds: number
}

/**
 * The physical limit of ingest, measured on the very rows that it stored: the same batches, as binary COPY, into empty
 * copies of the tables with the same keys, over two connections, one transaction a batch. Nothing is fetched or decoded.
 * @param cpu processor seconds that PostgreSQL has used so far
 */
export async function bareCopy(pool: pg.Pool, from: number, to: number, batchBlocks: number, cpu: () => number): Promise<BareCopy> {
  const batches = await readBatches(pool, from, to, batchBlocks)
  const lanes = await Promise.all([pool.connect(), pool.connect()])
  try {
    return await writeBatches(lanes, batches, cpu)
  } finally {
    for (const lane of lanes) lane.release(true)
  }
}

async function readBatches(pool: pg.Pool, from: number, to: number, batchBlocks: number): Promise<Buffer[][]> {
  const source = await pool.connect()
  const batches: Buffer[][] = []
  try {
    for (let start = from; start < to; start += batchBlocks) {
      const batch: Buffer[] = []
      for (const table of tables) {
        const column = heightColumn[table]
        const select = `select * from ${table} where ${column} >= ${start} and ${column} < ${Math.min(to, start + batchBlocks)}`
        const chunks: Buffer[] = []
        const rows = source.query(copyTo(`copy (${select}) to stdout (format binary)`))
        rows.on('data', (chunk: Buffer) => chunks.push(chunk))
        await once(rows, 'end')
        batch.push(Buffer.concat(chunks))
      }
      batches.push(batch)
    }
    return batches
  } finally {
    source.release(true)
  }
}

async function writeBatches(
  [first, second]: [pg.PoolClient, pg.PoolClient], batches: readonly Buffer[][], cpu: () => number,
): Promise<BareCopy> {
  await first.query('create schema bare')
  for (const table of tables) await first.query(`create table ${bare(table)} (like ${table} including all)`)
  await first.query('checkpoint')
  const cpuBefore = cpu()
  const started = performance.now()
  const work = batches.values()
  const lane = async (client: pg.PoolClient): Promise<void> => {
    for (const batch of work) {
      await client.query('begin')
      for (const [i, table] of tables.entries()) {
        const stream = client.query(copyFrom(`copy ${bare(table)} from stdin (format binary)`))
        const finished = once(stream, 'finish')
        stream.end(batch[i])
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
  return table.replace('raw.', 'bare.')
}
