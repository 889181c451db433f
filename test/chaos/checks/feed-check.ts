import type pg from 'pg'
import type { SeenChain } from '../../support/seen-chain.ts'
import type { Findings } from '../report/findings.ts'

/** Compares what a client of the feed has with what is stored. @returns what was compared, in words */
export async function checkFeed(pool: pg.Pool, seen: SeenChain, findings: Findings): Promise<string> {
  const first = Math.min(...seen.blocks.keys())
  if (seen.blocks.size === 0) {
    findings.add('feed', 'the feed told of nothing')
    return 'nothing'
  }
  const { rows } = await pool.query<{ height: number; id: string; transactions: string[] }>(
    `
    select height::int4 as height, encode(id, 'hex') as id,
      array(select encode(t.id, 'hex') from raw.transactions t where t.block_height = height order by tx_index) as transactions
    from raw.blocks where height >= $1 order by height`,
    [first],
  )
  const wrong = rows.filter(
    ({ height, id, transactions }) =>
      seen.blocks.get(height) !== id || (seen.transactions.get(height) ?? []).join() !== transactions.join(),
  )
  if (wrong.length > 0) {
    const [one] = wrong
    const has =
      one === undefined
        ? ''
        : `${seen.blocks.get(one.height)} with ${seen.transactions.get(one.height)?.length ?? 0} transactions`
    findings.add(
      'feed',
      `${wrong.length} blocks are not as they were told; first ${one?.height} ${one?.id} with ${one?.transactions.length}, told was ${has}`,
    )
  }
  if (seen.blocks.size > rows.length)
    findings.add('feed', `${seen.blocks.size - rows.length} blocks were told that are not there`)
  return `${rows.length} blocks from ${first} on`
}

/** Whether a client of the feed has all of the highest block. */
export async function hasHeardAll(pool: pg.Pool, seen: SeenChain): Promise<boolean> {
  const {
    rows: [block],
  } = await pool.query<{ height: number; id: string; count: number }>(
    "select height::int4 as height, encode(id, 'hex') as id, tx_count as count from raw.blocks order by height desc limit 1",
  )
  return (
    block !== undefined &&
    seen.blocks.get(block.height) === block.id &&
    (seen.transactions.get(block.height)?.length ?? 0) === block.count
  )
}
