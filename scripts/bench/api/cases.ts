import type pg from 'pg'

export interface BenchCase {
  readonly name: string
  /** Requests a second to reach. */
  readonly target: number
  /** Requests a second that the Flow explorer's own back end gave, on the same kind of machine and data. */
  readonly reference: number
  /** As that one was asked: one page by everybody, 1,000 transactions or 200 accounts in turn. */
  readonly asked: readonly string[]
  /** Different pages, asked in turn. */
  readonly spread: readonly string[]
  /** Pages that are as long on a small database as on a large one, where those of `spread` are not: for what a request costs on both. */
  readonly even?: readonly string[]
  /** The same rows, of one table, by nothing but `pg`: what no API that reads them from PostgreSQL can be faster than. */
  readonly bare: BareRead
}

export interface BareRead {
  readonly text: string
  /** In turn. */
  readonly values: readonly (readonly (string | number | Buffer)[])[]
}

/** Different pages of each kind where they are spread: more than an answer is kept for. */
const spread = 4000
/** Rows that the busiest accounts have after 1,000 blocks. */
const evenRows = 4

/** The lists and objects that are asked for most, of whatever the database holds. */
export async function benchCases(pool: pg.Pool): Promise<readonly BenchCase[]> {
  const heights = await column(pool, `select height from raw.blocks order by random() limit ${spread}`)
  const ids = await column(
    pool,
    `
    select encode(id, 'hex') from raw.transactions where payer_address is not null order by random() limit ${spread}`,
  )
  const places = await column(
    pool,
    `
    select block_height || ':' || tx_index || ':' || encode(id, 'hex') from raw.transactions order by random() limit ${spread}`,
  )
  const accounts = await column(pool, `select address from app.address_stats order by tx_count desc limit ${spread}`)
  const receivers = await column(
    pool,
    `
    select address from (
      select to_address as address, count(*) from app.ft_transfers where to_address like '0x________________' group by 1 order by 2 desc limit ${spread}
    ) as busy`,
  )
  const transfers = await column(
    pool,
    `
    select f.block_height || ':' || encode(t.id, 'hex') || ':' || f.event_index from app.ft_transfers f join raw.transactions t
    using (block_height, tx_index) where f.transfer_type <> 'fee' and f.leg = 0 order by random() limit ${spread}`,
  )
  const [someHeight = ''] = heights
  return [
    {
      name: 'block list',
      target: 6000,
      reference: 2340,
      asked: ['/flow/block?limit=20'],
      spread: heights.map((height) => `/flow/block?cursor=${height}`),
      bare: { text: 'select * from raw.blocks order by height desc limit 20', values: [[]] },
    },
    {
      name: 'block by height',
      target: 6000,
      reference: 4890,
      asked: [`/flow/block/${someHeight}`],
      spread: heights.map((height) => `/flow/block/${height}`),
      bare: { text: 'select * from raw.transactions where block_height = $1', values: [[someHeight]] },
    },
    {
      name: 'transaction list',
      target: 3000,
      reference: 297,
      asked: ['/flow/transaction?limit=20'],
      spread: places.map((place) => `/flow/transaction?cursor=${place}`),
      bare: { text: 'select * from raw.transactions order by block_height desc, tx_index desc limit 20', values: [[]] },
    },
    {
      name: 'transaction by id',
      target: 3000,
      reference: 121,
      asked: ids.slice(0, 1000).map((id) => `/flow/transaction/${id}`),
      spread: ids.map((id) => `/flow/transaction/${id}`),
      bare: {
        text: 'select t.* from raw.tx_lookup l join raw.transactions t using (block_height, tx_index) where l.id = $1',
        values: ids.slice(0, 1000).map((id) => [Buffer.from(id, 'hex')]),
      },
    },
    {
      name: "account's transactions",
      target: 3000,
      reference: 319,
      asked: accounts.slice(0, 200).map((account) => `/flow/account/${account}/transaction?limit=20`),
      spread: accounts.map((account) => `/flow/account/${account}/transaction`),
      even: accounts.map((account) => `/flow/account/${account}/transaction?limit=${evenRows}`),
      bare: {
        text: `select t.* from app.address_transactions a join raw.transactions t using (block_height, tx_index)
          where a.address = $1 order by a.block_height desc, a.tx_index desc limit 20`,
        values: accounts.slice(0, 200).map((account) => [account]),
      },
    },
    {
      name: 'transfer feed',
      target: 3000,
      reference: 223,
      asked: ['/flow/ft/transfer?limit=20'],
      spread: transfers.map((transfer) => `/flow/ft/transfer?cursor=${transfer}`),
      bare: {
        text: `select * from app.ft_transfers where transfer_type <> 'fee'
          order by block_height desc, tx_index desc, event_index desc, leg desc limit 20`,
        values: [[]],
      },
    },
    {
      name: "account's transfers",
      target: 3000,
      reference: 1128,
      asked: receivers.slice(0, 200).map((account) => `/flow/account/${account}/ft/transfer?limit=20`),
      spread: receivers.map((account) => `/flow/account/${account}/ft/transfer`),
      even: receivers.map((account) => `/flow/account/${account}/ft/transfer?limit=${evenRows}`),
      bare: {
        text: `select * from app.ft_transfers where to_address = $1 and transfer_type <> 'fee' order by block_height desc limit 20`,
        values: receivers.slice(0, 200).map((account) => [account]),
      },
    },
  ]
}

async function column(pool: pg.Pool, statement: string): Promise<string[]> {
  const { rows } = await pool.query<string[]>({ text: statement, rowMode: 'array' })
  return rows.map(([value]) => String(value))
}
