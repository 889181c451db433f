import type pg from 'pg'

/** The id of the stored block at a height, or undefined. */
export async function storedBlockId(db: pg.Pool | pg.ClientBase, height: number): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ id: Buffer }>({
    name: 'ingest-stored-block-id',
    text: 'select id from raw.blocks where height = $1',
    values: [height],
  })
  return rows[0]?.id
}

/** The highest stored block at or below a height, or undefined. */
export async function storedBlockUpTo(
  db: pg.Pool | pg.ClientBase,
  height: number,
): Promise<{ readonly height: number; readonly id: Buffer } | undefined> {
  const { rows } = await db.query<{ height: number; id: Buffer }>({
    name: 'ingest-stored-block-up-to',
    text: 'select height::float8 as height, id from raw.blocks where height <= $1 order by raw.blocks.height desc limit 1',
    values: [height],
  })
  return rows[0]
}

/** The parent id of the stored block at a height, or undefined. */
export async function storedParentId(db: pg.Pool | pg.ClientBase, height: number): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ parent_id: Buffer }>({
    name: 'ingest-stored-parent-id',
    text: 'select parent_id from raw.blocks where height = $1',
    values: [height],
  })
  return rows[0]?.parent_id
}
