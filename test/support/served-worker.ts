import type { Pool } from 'pg'
import type { OwnDeclaration, OwnFold, OwnTable } from '../../src/own-tables/declaration.ts'
import { createOwnSchema } from '../../src/own-tables/create-schema.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'

export const momentTable: OwnTable = {
  name: 'moment_purchased',
  comment: 'Sales of moments',
  columns: [
    { name: 'moment_id', type: 'numeric', isOptional: false, isIndexed: true, comment: 'id of the event' },
    { name: 'price', type: 'numeric', isOptional: true, isIndexed: false, comment: '' },
    { name: 'seller', type: 'text', isOptional: true, isIndexed: true, comment: 'Account of the seller.' },
    { name: 'edition', type: 'bigint', isOptional: true, isIndexed: true, comment: '' },
    { name: 'is_first', type: 'boolean', isOptional: true, isIndexed: true, comment: '' },
    { name: 'listed_at', type: 'timestamptz', isOptional: true, isIndexed: true, comment: '' },
    { name: 'listed_on', type: 'date', isOptional: true, isIndexed: true, comment: '' },
    { name: 'level', type: 'integer', isOptional: true, isIndexed: true, comment: '' },
    { name: 'details', type: 'jsonb', isOptional: true, isIndexed: false, comment: '' },
    // Names of parameters and keywords.
    { name: 'limit', type: 'text', isOptional: true, isIndexed: true, comment: '' },
    { name: 'select', type: 'text', isOptional: true, isIndexed: true, comment: '' },
    { name: 'constructor', type: 'text', isOptional: true, isIndexed: false, comment: '' },
  ],
}

export const momentFolds: readonly OwnFold[] = [
  {
    name: 'seller_totals',
    comment: 'Sales by seller',
    kind: 'sum',
    of: 'moment_purchased',
    key: ['seller'],
    count: 'sales',
    sums: [{ name: 'volume', of: 'price' }],
  },
  {
    name: 'latest_price',
    comment: '',
    kind: 'latest',
    of: 'moment_purchased',
    key: ['moment_id'],
    columns: ['price', 'seller', 'listed_at'],
  },
  {
    name: 'edition_sellers',
    comment: '',
    kind: 'sum',
    of: 'moment_purchased',
    key: ['edition', 'seller'],
    count: 'sales',
    sums: [{ name: 'volume', of: 'price' }],
  },
]

export const momentDeclaration: OwnDeclaration = {
  contract: 'A.0b2a3299cc857e29.TopShot',
  events: ['MomentPurchased'],
  version: 1,
  description: 'Moments of NBA Top Shot',
  startHeight: 0,
  tables: [momentTable],
  folds: momentFolds,
  views: [
    {
      name: 'top_sellers',
      comment: 'Sellers with the highest volume',
      sql: 'select seller, sales, volume, rank() over (order by volume desc) as place from seller_totals order by place',
      columns: [],
    },
  ],
}

/** Registers a worker that has derived the heights below `end`, and creates its tables. */
export async function addOwnWorker(
  pool: Pool,
  {
    name = 'own_top_shot',
    declaration = momentDeclaration,
    end = 0,
  }: {
    readonly name?: string
    readonly declaration?: OwnDeclaration
    readonly end?: number
  } = {},
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const created = await createOwnSchema(client, name, declaration)
    await client.query(
      'insert into app.own_workers (name, declaration, code_hash, start_height) values ($1, $2, $3, $4)',
      [name, JSON.stringify(created), 'hash', declaration.startHeight ?? 0],
    )
    await client.query(
      `insert into app.indexing_checkpoints (service_name, covered) values ($1, int8multirange(int8range(0, $2)))
       on conflict (service_name) do update set covered = excluded.covered`,
      [name, end],
    )
  })
}

/** A sale per height: moments and sellers repeat, and each tenth row lacks all optional values. */
export async function addSales(pool: Pool, from: number, to: number, schema = 'own_top_shot'): Promise<void> {
  const t = `"${schema}".moment_purchased`
  await pool.query(`
    insert into ${t} select h, 1, 2, 0, timestamptz '2025-01-01Z' + h * interval '1 second', sha256(int8send(h)),
      h % 50, (h * 1.25)::numeric(40, 8), '0x' || lpad(to_hex(h % 7), 16, '0'), h % 5, h % 2 = 0,
      timestamptz '2025-01-01Z' + h * interval '1.000001 second', date '2025-01-01' + (h % 3)::int, h % 4,
      jsonb_build_object('h', h), 'l' || h % 3, 's' || h % 3, 'c'
    from generate_series(${from}, ${to}) as h;
    update ${t} set price = null, seller = null, edition = null, is_first = null, listed_at = null, listed_on = null,
      level = null, details = null, "limit" = null, "select" = null where block_height % 10 = 9;
    delete from "${schema}".seller_totals;
    insert into "${schema}".seller_totals select seller, count(*), coalesce(sum(price), 0) from ${t}
      where seller is not null group by 1;
    delete from "${schema}".edition_sellers;
    insert into "${schema}".edition_sellers select edition, seller, count(*), coalesce(sum(price), 0) from ${t}
      where seller is not null and edition is not null group by 1, 2;
    delete from "${schema}".latest_price;
    insert into "${schema}".latest_price select distinct on (moment_id) moment_id, price, seller, listed_at from ${t}
      order by moment_id, block_height desc;`)
}
