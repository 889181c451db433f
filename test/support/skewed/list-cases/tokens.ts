import { skewed } from '../skewed-world.ts'
import type { ListCase, ListKeys } from '../list-case.ts'
import { caseOf, isWithinDays, someDays, transactionIdOf } from './cases-of.ts'
import type { Values } from './cases-of.ts'

const { whale, occasional, quiet, late, nobody, token, rareToken, oldToken } = skewed

/** A token that moves occasionally. */
const someToken = 'A.0000000000010032.Coin'

export const transferOrder = ['-t.block_height', '-t.tx_index', '-t.event_index', '-t.leg']

/** The cursor after row `t` of a table of transfers, as SQL. */
export const transferCursor = `t.block_height || ':' || ${transactionIdOf('t.block_height')} || ':' || t.event_index`

/** Whether row `t` belongs to an account, as SQL. */
export function isParty(address: string): string {
  return `'${address}' in (t.from_address, t.to_address)`
}

function transfers(where: string): ListKeys {
  return {
    cursor: transferCursor,
    from: `app.ft_transfers t where t.transfer_type <> 'fee' and ${where}`,
    order: transferOrder,
  }
}

const all = (values: Values, where: string): ListCase => caseOf('/flow/ft/transfer', values, transfers(where))

/** Whether the account received row `t` from another account, as SQL. */
export function isReceived(address: string): string {
  return `t.to_address = '${address}' and t.from_address is distinct from '${address}'`
}

function bothOf(where: string): ListKeys {
  const columns = 'block_height, tx_index, event_index, leg, token, from_address, to_address'
  return {
    cursor: transferCursor,
    from: `(
      select ${columns} from app.ft_transfers where transfer_type <> 'fee' union all select ${columns} from app.nft_transfers
    ) as t where ${where}`,
    order: transferOrder,
  }
}

/** By direction and days. @param path of a list of one account */
const ofDirections = (path: string, select: (where: string) => ListKeys): ListCase[] => [
  caseOf(path, { address: whale, direction: 'deposit' }, select(isReceived(whale))),
  caseOf(path, { address: occasional, direction: 'withdraw' }, select(`t.from_address = '${occasional}'`)),
  caseOf(
    path,
    { address: whale, direction: 'withdraw', ...someDays },
    select(`t.from_address = '${whale}' and ${isWithinDays}`),
  ),
]

const ofAccount = (address: string): ListCase[] => [
  caseOf('/flow/account/{address}/ft/transfer', { address }, transfers(isParty(address))),
  caseOf('/flow/account/{address}/transfer', { address }, bothOf(isParty(address))),
]

const ofAccountAndToken = (address: string, moved: string): ListCase[] => {
  const keys = transfers(`t.token = '${moved}' and ${isParty(address)}`)
  return [
    caseOf('/flow/ft/transfer', { address, token: moved }, keys),
    caseOf('/flow/account/{address}/ft/transfer', { address, token: moved }, keys),
    caseOf('/flow/account/{address}/ft/{token}/transfer', { address, token: moved }, keys),
  ]
}

const isBridged = `exists (select from app.ft_token_metadata m where m.token = o.token and m.evm_address is not null)`
const hasPrice =
  "exists (select from app.prices p where p.token = o.token and p.price_time > now() - interval '2 days')"

function catalogue(values: Values, from: string, count: string): ListCase {
  return caseOf('/flow/ft', values, { cursor: `${count} || ':' || o.token`, from, order: [`-${count}`, 'o.token'] })
}

const byHolders = `
  (select token, coalesce(holder_count, 0) as holder_count from app.ft_tokens left join app.ft_token_holders using (token)) as o`
const recent = (kind: string): string => `(
  select name as token, sum(activity_count)::bigint as count, sum(amount) as amount from app.hourly_activity
  where kind = '${kind}' and day + hour * interval '1 hour' > (select max(day + hour * interval '1 hour') from app.hourly_stats) - interval '24 hours'
  group by name
) as o`
export const recentTokens = recent('token')
export const recentCollections = recent('collection')

const holders = (path: 'holding' | 'top-account', held: string): ListCase =>
  caseOf(
    `/flow/ft/{token}/${path}`,
    { token: held },
    {
      cursor: "h.balance || ':' || h.address",
      from: `app.ft_holdings h where h.token = '${held}' and h.balance > 0`,
      order: ['-h.balance', 'h.address'],
    },
  )

export const tokenCases: readonly ListCase[] = [
  all({}, 'true'),
  ...[token, rareToken, oldToken, someToken].map((moved) => all({ token: moved }, `t.token = '${moved}'`)),
  ...[whale, occasional, quiet, late, nobody].map((address) => all({ address }, isParty(address))),
  ...[whale, occasional, quiet, late].flatMap(ofAccount),
  all(someDays, isWithinDays),
  all({ token: rareToken, ...someDays }, `t.token = '${rareToken}' and ${isWithinDays}`),
  ...['/flow/ft/transfer', '/flow/account/{address}/ft/transfer'].flatMap((path) => [
    ...ofDirections(path, transfers),
    caseOf(
      path,
      { address: whale, token: someToken, direction: 'deposit' },
      transfers(`t.token = '${someToken}' and ${isReceived(whale)}`),
    ),
  ]),
  ...ofDirections('/flow/account/{address}/transfer', bothOf),
  caseOf(
    '/flow/account/{address}/transfer',
    { address: whale, token: someToken },
    bothOf(`t.token = '${someToken}' and ${isParty(whale)}`),
  ),
  caseOf('/flow/account/{address}/transfer', { address: whale, type: 'ft' }, transfers(isParty(whale))),
  caseOf(
    '/flow/account/{address}/ft/{token}/transfer',
    { address: whale, token, ...someDays },
    transfers(`t.token = '${token}' and ${isParty(whale)} and ${isWithinDays}`),
  ),
  ...[token, rareToken, oldToken, someToken].flatMap((moved) => ofAccountAndToken(whale, moved)),
  ...ofAccountAndToken(occasional, token),
  ...ofAccountAndToken(late, token),
  ...[whale, occasional, late].map((address) =>
    caseOf(
      '/flow/account/{address}/tax-report',
      { address, start_date: '2023-06-01', end_date: '2023-12-31' },
      {
        ...bothOf(isParty(address)),
        from: `${bothOf(isParty(address)).from} and t.block_height <= (select max(height) from raw.blocks where timestamp < '2024-01-01Z')`,
      },
    ),
  ),
  catalogue({}, byHolders, 'o.holder_count'),
  catalogue({ sort: 'transfers' }, 'app.ft_token_totals o', 'o.transfer_count'),
  catalogue({ sort: 'newest' }, 'app.ft_tokens o', 'o.first_height'),
  catalogue({ sort: 'trending' }, recentTokens, 'o.count'),
  caseOf(
    '/flow/ft',
    { sort: 'name' },
    { cursor: "'0:' || m.token", from: 'app.ft_token_metadata m', order: ['lower(m.name)', 'm.token'] },
  ),
  catalogue({ sort: 'volume' }, `${recentTokens} where ${hasPrice}`, 'round(o.amount * 0.5, 8)'),
  catalogue({ sort: 'supply' }, 'app.ft_token_metadata o where o.total_supply is not null', 'o.total_supply'),
  catalogue({ filter: 'evm_bridged' }, `${byHolders} where ${isBridged}`, 'o.holder_count'),
  catalogue({ filter: 'has_price', sort: 'transfers' }, `app.ft_token_totals o where ${hasPrice}`, 'o.transfer_count'),
  catalogue(
    { filter: 'is_verified' },
    `${byHolders} where exists (
    select from app.account_labels l where l.address = '0x' || split_part(o.token, '.', 2))`,
    'o.holder_count',
  ),
  catalogue({ search: 'coin', sort: 'newest' }, "app.ft_tokens o where o.token like '%Coin'", 'o.first_height'),
  holders('holding', token),
  holders('holding', someToken),
  holders('top-account', token),
  ...[whale, quiet].map((address) =>
    caseOf(
      '/flow/account/{address}/ft',
      { address },
      {
        cursor: 'h.token',
        from: `app.ft_holdings h where h.address = '${address}'`,
        order: ['h.token'],
      },
    ),
  ),
]
