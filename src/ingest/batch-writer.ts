import type pg from 'pg'
import type { FetchedBlock } from '../access/messages.ts'
import { copyTables } from '../platform/db/copy-into.ts'
import { pgText } from '../platform/db/copy-writer.ts'
import { asDatabaseError } from '../platform/db/errors.ts'
import { rollBack, waitInTransaction } from '../platform/db/pool.ts'
import { RetryableError } from '../platform/errors.ts'
import type { HeightRange } from '../platform/ranges.ts'
import { databaseErrorOf, isRefusal, rowsRefused, uniqueViolation, RowsExistError } from './errors.ts'
import { Batch } from './batch.ts'
import type { IngesterName } from './checkpoints.ts'
import type { HeadTracker } from './head-tracker.ts'
import { rawColumns, rawTables, ensureRawPartitions } from './raw-tables.ts'
import type { ScriptCache, KnownScript, ShapeCache, KnownShape } from './caches.ts'
import type { UnavailablePart, UndecodedInput } from './batch.ts'

/**
 * Rows of the next batch are sent while one commits. Measured on 2 cores: a third gained 7 %, a
 * fourth nothing.
 */
const lanes = 3

/** A larger batch is sent alone. */
const maxBytesInFlight = 64 * 1024 * 1024

const reusedCapacity = 32 * 1024 * 1024

export interface CommittedBatch {
  readonly from: number
  readonly to: number
  readonly blockCount: number
  readonly txCount: number
  readonly eventCount: number
  readonly undecodedCodes: readonly string[]
  readonly fetched: readonly FetchedBlock[]
  readonly seconds: number
}

interface BatchWriterOptions {
  readonly pool: pg.Pool
  readonly name: IngesterName
  readonly generation: number
  /** The commits of this writer store the head. */
  readonly heads?: Pick<HeadTracker, 'current' | 'written'> | undefined
  /** Once it aborts, nothing may be committed. */
  readonly lockLost: AbortSignal
  readonly scripts: ScriptCache
  readonly shapes: ShapeCache
  readonly onCommitted: (batch: CommittedBatch) => void
  readonly signOfLifeMs?: number
}

/**
 * Stores batches in order, each in one transaction. After a failure every call rejects with the
 * first error.
 *
 * Rows of a batch are sent while earlier ones commit, but its COMMIT waits for theirs, so a batch
 * is never visible before those below it.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions
  readonly #free: Batch[] = []
  readonly #inFlight = new Set<Promise<void>>()
  #bytesInFlight = 0
  #last: Promise<void> = Promise.resolve()
  #failure: unknown

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  /** `store` returns it to the pool. */
  takeBatch(): Batch {
    return this.#free.pop() ?? new Batch(this.#options.scripts, this.#options.shapes)
  }

  /** Resolves when another batch may be passed, before the COMMIT. */
  async store(batch: Batch): Promise<void> {
    const bytes = batch.rowBytes
    while (this.#isFull(bytes) && this.#failure === undefined) await Promise.race(this.#inFlight)
    this.#throwIfFailed()
    this.#options.lockLost.throwIfAborted()
    const previous = this.#last
    const work = this.#write(batch, previous)
    this.#last = work
    const tracked = work
      .then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= error
        },
      )
      .finally(() => {
        this.#inFlight.delete(tracked)
        this.#bytesInFlight -= bytes
      })
    this.#inFlight.add(tracked)
    this.#bytesInFlight += bytes
  }

  #isFull(bytes: number): boolean {
    const { size } = this.#inFlight
    return size >= lanes || (size > 0 && this.#bytesInFlight + bytes > maxBytesInFlight)
  }

  async drain(): Promise<void> {
    await Promise.all(this.#inFlight)
    this.#throwIfFailed()
  }

  #throwIfFailed(): void {
    if (this.#failure !== undefined) throw asDatabaseError(this.#failure)
  }

  async #write(batch: Batch, previous: Promise<void>): Promise<void> {
    // Later batches fail with it; the first failure is reported.
    previous.catch(() => undefined)
    const started = performance.now()
    await ensureRawPartitions(this.#options.pool, batch.range)
    try {
      await this.#storeScripts(batch)
      await this.#numberShapes(batch)
    } catch (error) {
      throw isRefusal(error) ? rowsRefused(batch.range, error) : error
    }
    const client = await this.#options.pool.connect()
    let broken: Error | undefined
    try {
      const tables = rawTables.map((table) => ({
        table: `raw.${table}`,
        columns: rawColumns[table],
        rows: batch.rowsOf(table),
      }))
      await copyTables(client, tables, 'begin')
      if (batch.undecoded.length > 0) await insertUndecoded(client, this.#options.name, batch.undecoded)
      if (batch.unavailable.length > 0) await insertUnavailable(client, batch.unavailable)
      await waitInTransaction(client, previous, this.#options.signOfLifeMs)
      const { name, generation, heads } = this.#options
      const head = heads?.current
      const isCommitted = await commitCheckpoint(client, { name, generation, headHeight: head?.height }, batch)
      if (!isCommitted) throw checkpointMoved(name, batch.range)
      this.#options.lockLost.throwIfAborted()
      await client.query('commit')
      heads?.written(head)
    } catch (error) {
      broken = await rollBack(client, error)
      if (isRefusal(error)) throw rowsRefused(batch.range, error)
      throw databaseErrorOf(error)?.code === uniqueViolation ? new RowsExistError(batch.range, error) : error
    } finally {
      client.release(broken)
    }
    this.#options.onCommitted({
      ...batch.range,
      blockCount: batch.blockCount,
      txCount: batch.txCount,
      eventCount: batch.eventCount,
      undecodedCodes: batch.undecoded.map((u) => u.code),
      fetched: [...batch.fetched],
      seconds: (performance.now() - started) / 1000,
    })
    if (batch.capacity > reusedCapacity) return
    batch.clear()
    this.#free.push(batch)
  }

  /**
   * Committed before the batch: a row lock held until the batch commits could block the other
   * ingester. An unused row is harmless.
   */
  async #storeScripts(batch: Batch): Promise<void> {
    if (batch.newScripts.size === 0) return
    await insertScripts(this.#options.pool, [...batch.newScripts])
    for (const script of batch.newScripts) script.isStored = true
  }

  /** Committed separately, like scripts: an unused shape is harmless. */
  async #numberShapes(batch: Batch): Promise<void> {
    const shapes = batch.newShapes
    if (shapes.size === 0) return
    await numberShapes(this.#options.pool, shapes)
    batch.numberShapes()
  }
}

function checkpointMoved(name: string, { from, to }: HeightRange): RetryableError {
  const heights = `heights ${from} to ${to - 1}`
  return new RetryableError('checkpoint-moved', `${name}: ${heights} were stored or rolled back by another process`)
}

/** Ordered by hash to avoid deadlocks between writers. */
async function insertScripts(db: pg.Pool, scripts: readonly KnownScript[]): Promise<void> {
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

/** Ordered by hash to avoid deadlocks between writers. */
async function numberShapes(db: pg.Pool, shapes: Iterable<KnownShape>): Promise<void> {
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
  // The first statement conflicts with rows just committed by others but does not see them.
  const { rows } = await db.query<{ id: number; hash: Buffer }>({
    name: 'ingest-event-shape-numbers',
    text: 'select id, hash from raw.event_shapes where hash = any ($1::bytea[])',
    values: [hashes],
  })
  const ids = new Map(rows.map(({ id, hash }) => [hash.toString('latin1'), id]))
  for (const shape of sorted) shape.id = ids.get(shape.hash.toString('latin1'))
}

/**
 * Takes effect with the COMMIT. Unavailable heights above the lowest covered one do not hold back
 * `last_height`.
 * @returns false if the heights are covered already or a rollback intervened: then roll back
 */
export async function commitCheckpoint(
  client: pg.ClientBase,
  ingester: { name: string; generation: number; headHeight?: number | undefined },
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
      ), head as (
        update app.chain set latest_height = $8, latest_at = now() where $8::bigint is not null
      ), fetched as (
        delete from raw.failing_heights f where height >= $2 and height < $3
          and not exists (select from raw.unavailable u where u.block_height = f.height)
      )
      select pg_notify('flowfarm_blocks', $1 || ':' || $2 || ':' || $3) from checkpoint`,
    values: [
      ingester.name,
      from,
      to,
      batch.blockCount,
      batch.txCount,
      batch.eventCount,
      ingester.generation,
      ingester.headHeight,
    ],
  })
  return rowCount === 1
}

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

/** Limit for raw inputs in a statement, which encodes them as hex. */
const maxStatementBytes = 4 * 1024 * 1024

async function insertUndecoded(
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
