import type pg from 'pg'

export interface BenchCase {
  readonly name: string
  /** Requests a second to reach. */
  readonly target: number
  /** Asked in turn. */
  readonly paths: readonly string[]
}

/** Different pages of each kind in a case that is spread: more than an answer is kept for. */
const spread = 4000

/** The lists and objects that are asked for most, each as one page and as many, of whatever the database holds. */
export async function benchCases(pool: pg.Pool): Promise<readonly BenchCase[]> {
  const heights = await column(pool, `select height from raw.blocks order by random() limit ${spread}`)
  const ids = await column(pool, `
    select encode(id, 'hex') from raw.transactions where payer_address is not null order by random() limit ${spread}`)
  const places = await column(pool, `
    select block_height || ':' || tx_index || ':' || encode(id, 'hex') from raw.transactions order by random() limit ${spread}`)
  const accounts = await column(pool, `select address from app.address_stats order by tx_count desc limit ${spread}`)
  const receivers = await column(pool, `
    select address from (
      select to_address as address, count(*) from app.ft_transfers where to_address like '0x________________' group by 1 order by 2 desc limit ${spread}
    ) as busy`)
  const transfers = await column(pool, `
    select f.block_height || ':' || encode(t.id, 'hex') || ':' || f.event_index from app.ft_transfers f join raw.transactions t
    using (block_height, tx_index) where f.transfer_type <> 'fee' and f.leg = 0 order by random() limit ${spread}`)
  const [first = ''] = accounts
  const kinds: readonly [string, number, string, readonly string[]][] = [
    ['block list', 6000, '/flow/block', heights.map((height) => `/flow/block?cursor=${height}`)],
    ['block by height', 6000, `/flow/block/${heights[0] ?? ''}`, heights.map((height) => `/flow/block/${height}`)],
    ['transaction list', 3000, '/flow/transaction', places.map((place) => `/flow/transaction?cursor=${place}`)],
    ['transaction by id', 3000, `/flow/transaction/${ids[0] ?? ''}`, ids.map((id) => `/flow/transaction/${id}`)],
    ["account's transactions", 3000, `/flow/account/${first}/transaction`, accounts.map((account) => `/flow/account/${account}/transaction`)],
    ['transfer feed', 3000, '/flow/ft/transfer', transfers.map((transfer) => `/flow/ft/transfer?cursor=${transfer}`)],
    ["account's transfers", 3000, `/flow/account/${receivers[0] ?? ''}/ft/transfer`, receivers.map((account) => `/flow/account/${account}/ft/transfer`)],
  ]
  return kinds.flatMap(([name, target, hot, paths]) => [
    { name: `${name}, hot`, target, paths: [hot] }, { name: `${name}, spread`, target, paths },
  ])
}

async function column(pool: pg.Pool, statement: string): Promise<string[]> {
  const { rows } = await pool.query<string[]>({ text: statement, rowMode: 'array' })
  return rows.map(([value]) => String(value))
}
