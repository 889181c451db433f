import type pg from 'pg'
import { normalize, parseMultirange, union } from '../platform/ranges.ts'
import type { HeightSet } from '../platform/ranges.ts'

/** Names of rows in `app.indexing_checkpoints`. */
export const ingesterNames = { forward: 'main_ingester', backward: 'history_ingester' } as const
export type IngesterName = (typeof ingesterNames)[keyof typeof ingesterNames]

interface IngesterCheckpoint {
  readonly covered: HeightSet
  /** Incremented by every rollback; commits of older generations are refused. */
  readonly generation: number
}

export interface RawCoverage {
  readonly forward: IngesterCheckpoint
  readonly backward: IngesterCheckpoint
  /** Stored by either ingester. */
  readonly all: HeightSet
  /** Stored or unavailable as a whole (raw.unavailable). */
  readonly settled: HeightSet
}

/** In one snapshot; creates missing rows of the ingesters. */
export async function readRawCoverage(db: pg.Pool | pg.ClientBase): Promise<RawCoverage> {
  const names = [ingesterNames.forward, ingesterNames.backward]
  await db.query(
    'insert into app.indexing_checkpoints (service_name) select unnest($1::text[]) on conflict do nothing',
    [names],
  )
  const { rows } = await db.query<{ service_name: string; covered: string; generation: string; lost: string }>(
    `select service_name, covered::text as covered, generation, (
       select coalesce(range_agg(int8range(block_height, block_height + 1)), '{}')::text
       from raw.unavailable where part = 'block'
     ) as lost
     from app.indexing_checkpoints where service_name = any($1)`,
    [names],
  )
  const read = (name: string): IngesterCheckpoint => {
    const row = rows.find((r) => r.service_name === name)
    if (row === undefined) throw new Error(`the checkpoint of ${name} is missing`)
    return { covered: normalize(parseMultirange(row.covered)), generation: Number(row.generation) }
  }
  const forward = read(ingesterNames.forward)
  const backward = read(ingesterNames.backward)
  const all = union(forward.covered, backward.covered)
  return { forward, backward, all, settled: union(all, normalize(parseMultirange(rows[0]?.lost ?? '{}'))) }
}

/** Undefined before the ingester's first plan. */
export async function readGeneration(db: pg.Pool | pg.ClientBase, name: IngesterName): Promise<number | undefined> {
  const { rows } = await db.query<{ generation: string }>({
    name: 'ingest-generation',
    text: 'select generation from app.indexing_checkpoints where service_name = $1',
    values: [name],
  })
  return rows[0] === undefined ? undefined : Number(rows[0].generation)
}

export async function recordTarget(db: pg.Pool | pg.ClientBase, height: number): Promise<void> {
  await db.query(
    'update app.indexing_checkpoints set target_height = $2 where service_name = $1 and ' +
      'target_height is distinct from $2',
    [ingesterNames.backward, height],
  )
}

export async function storedBlockId(db: pg.Pool | pg.ClientBase, height: number): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ id: Buffer }>({
    name: 'ingest-stored-block-id',
    text: 'select id from raw.blocks where height = $1',
    values: [height],
  })
  return rows[0]?.id
}

export async function storedBlockUpTo(
  db: pg.Pool | pg.ClientBase,
  height: number,
): Promise<{ readonly height: number; readonly id: Buffer } | undefined> {
  const { rows } = await db.query<{ height: number; id: Buffer }>({
    name: 'ingest-stored-block-up-to',
    text:
      'select height::float8 as height, id from raw.blocks where height <= $1 order by ' +
      'raw.blocks.height desc limit 1',
    values: [height],
  })
  return rows[0]
}

export async function storedParentId(db: pg.Pool | pg.ClientBase, height: number): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ parent_id: Buffer }>({
    name: 'ingest-stored-parent-id',
    text: 'select parent_id from raw.blocks where height = $1',
    values: [height],
  })
  return rows[0]?.parent_id
}
