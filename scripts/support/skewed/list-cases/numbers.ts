import { skewed } from '../skewed-world.ts'
import type { ListCase, ListKeys } from '../list-case.ts'
import { caseOf } from './cases-of.ts'
import type { Values } from './cases-of.ts'
import { transferCursor, transferOrder } from './tokens.ts'

const hour = "date_trunc('hour', p.price_time, 'UTC')"
const prices = (where: string): ListKeys => ({
  cursor: 'extract(epoch from p.hour)::bigint',
  from: `(select distinct ${hour} as hour from app.prices p where p.token = '${skewed.token}' and ${where}) as p`,
  order: ['-p.hour'],
})

/** Prices are 0.5 dollars, and known of tokens that are much used alone. */
const isWorth = (dollars: number): string => `t.amount * 0.5 >= ${dollars} and exists (
  select from app.prices p join raw.blocks b on b.height = t.block_height
  where p.token = t.token and p.price_time <= b.timestamp and p.price_time >= b.timestamp - interval '48 hours'
)`
const bigTransfers = (values: Values, where: string): ListCase =>
  caseOf(
    '/insights/big-transfers',
    values,
    {
      cursor: transferCursor,
      from: `app.big_transfers t where ${where}`,
      order: transferOrder,
    },
    true,
  )
const isSwap = `exists (select from app.defi_events d where d.block_height = t.block_height and d.event_type = 'Swap')`

export const numberCases: readonly ListCase[] = [
  caseOf('/status/price/history', { asset: 'S1' }, prices('true')),
  caseOf(
    '/status/price/history',
    { asset: 'S1', from: '2023-06-10', to: '2023-07-10' },
    prices("p.price_time >= '2023-06-10Z' and p.price_time < '2023-07-10Z'"),
  ),
  bigTransfers({}, isWorth(10_000)),
  bigTransfers({ min_usd: 500 }, isWorth(500)),
  bigTransfers({ min_usd: 500, type: 'swap' }, `${isWorth(500)} and ${isSwap}`),
  bigTransfers({ type: 'mint' }, 'false'),
]
