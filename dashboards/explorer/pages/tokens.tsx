import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { useSearchValue } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import type { Column } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { FungibleToken } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { AssetDetails, TokenVolume, TokenTransfers } from '../parts/assets.tsx'
import { useFilterValues, useSorting } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ItemResult, ListFilter, QueryResult, TableList } from '../parts/lists.tsx'
import { PageTitle, UrlTabs, Detail, DetailPanel, KeyNumber, KeyNumbers } from '../parts/page.tsx'
import { ShareButton } from '../parts/share.tsx'
import { Amount, TokenName, AccountLink, NoValue, Picture, Share } from '../parts/values.tsx'
import { formatDollars, contractNameOf, initialOf, sanitizeName, truncateAmount, formatAmount } from '../text.ts'

const tokenColumns: readonly Column<ItemOf<'/flow/ft'>>[] = [
  {
    name: 'Token',
    cell: (token) => (
      <TokenName id={token.id} token={token}>
        {token.is_verified && <Badge tone="good">Verified</Badge>}
      </TokenName>
    ),
    order: 'name',
  },
  {
    name: 'Price',
    cell: ({ current_price: price }) => (price === null ? <NoValue /> : formatDollars(price)),
    isNumber: true,
  },
  {
    name: 'Volume in 24 hours',
    cell: ({ recent_volume: volume, current_price: price }) =>
      price === null ? <NoValue /> : formatDollars(String(Number(volume) * Number(price))),
    isNumber: true,
    inCards: 'hidden',
    order: 'volume',
  },
  { name: 'Holders', cell: ({ holder_count: count }) => formatNumber(count), isNumber: true, order: 'holders' },
  { name: 'Transfers', cell: ({ transfer_count: count }) => formatNumber(count), isNumber: true, order: 'transfers' },
  {
    name: 'Supply',
    cell: ({ total_supply: supply }) => <Amount amount={supply} decimals={2} />,
    isNumber: true,
    order: 'supply',
  },
]

const filters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'filter',
    label: 'Show only',
    options: { is_verified: 'Verified', has_price: 'With a price', evm_bridged: 'Bridged to EVM' },
  },
]

const orders = [
  { sort: 'holders', label: 'Most holders' },
  { sort: 'volume', label: 'Highest volume' },
  { sort: 'trending', label: 'Most active in 24 hours' },
  { sort: 'transfers', label: 'Most transfers' },
  { sort: 'supply', label: 'Largest supply' },
  { sort: 'newest', label: 'Newest' },
  { sort: 'name', label: 'Name', isAscending: true },
] as const

export function TokensPage(): ReactNode {
  const [search] = useSearchValue('search')
  const sorting = useSorting(orders)
  const isWhole = search === '' && ['holders', 'newest', 'name'].includes(sorting.order)
  const { data: statistics } = useApi('/flow/ft/stats', {}, { isEnabled: isWhole })
  return (
    <>
      <PageTitle title="Tokens" aside={<ListFilter label="Name or symbol" />} />
      <TableList
        list={useList('/flow/ft', { limit: 25, search, sort: sorting.order, ...useFilterValues(filters) })}
        filters={filters}
        sorting={sorting}
        total={isWhole && statistics !== undefined ? { count: statistics.data.total } : undefined}
        what="tokens"
        columns={tokenColumns}
        itemKey={({ id }) => id}
        emptyText={
          search === ''
            ? 'Tokens will appear here after their first transfer.'
            : 'No tokens match this name. Try a shorter one.'
        }
      />
    </>
  )
}

export function TokenPage({ values: { token: id = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/ft/{token}', { token: id })
  const found = query.data?.data[0]
  const name = sanitizeName(found?.name ?? contractNameOf(id))
  return (
    <>
      <PageTitle
        kind="Token"
        title={name}
        aside={
          found !== undefined && (
            <div className="button-row">
              {found.is_verified && <Badge tone="good">Verified</Badge>}
              <ShareButton path={`/token/${found.id}`} title={contractNameOf(found.id)} />
            </div>
          )
        }
      >
        {found !== undefined && (
          <Picture
            source={found.logo}
            alt=""
            size={28}
            seed={found.id}
            letter={initialOf(found.symbol ?? found.name)}
          />
        )}
        {` ${name} `}
        {typeof found?.symbol === 'string' && <span className="soft">{sanitizeName(found.symbol)}</span>}
      </PageTitle>
      <ItemResult query={query} what="this token" rows={6}>
        {(token) => (
          <>
            <TokenNumbers token={token} />
            <UrlTabs
              label="Token"
              tabs={[
                { name: 'transfers', label: 'Transfers', render: () => <TokenTransfers token={token} /> },
                { name: 'holders', label: 'Holders', render: () => <TokenHolders token={token} /> },
                { name: 'volume', label: 'Volume', render: () => <TokenVolume token={token} /> },
                {
                  name: 'price',
                  label: 'Price',
                  render: () => <PriceHistory asset={token.market_symbol ?? token.symbol} />,
                },
                { name: 'about', label: 'About', render: () => <TokenAbout token={token} /> },
              ]}
            />
          </>
        )}
      </ItemResult>
    </>
  )
}

interface TokenProps {
  readonly token: FungibleToken
}

function TokenAbout({ token }: TokenProps): ReactNode {
  return (
    <DetailPanel label="About">
      <AssetDetails asset={token} type={token.id} />
      <Detail name="Decimals">{token.decimals}</Detail>
      {token.vault_path !== null && <Detail name="Vault path">{token.vault_path}</Detail>}
    </DetailPanel>
  )
}

function PriceHistory({ asset }: { readonly asset: string | null }): ReactNode {
  const query = useApi('/status/price/history', { asset: asset ?? '', limit: 100 }, { isEnabled: asset !== null })
  if (asset === null || query.data?.data.length === 0) {
    return (
      <section className="panel" aria-label="Price">
        <EmptyState title="No price available">The market data source has no price for this token.</EmptyState>
      </section>
    )
  }
  return (
    <section className="panel chart-panel" aria-label="Price">
      <QueryResult query={query} what="the price history">
        {({ data }) => (
          <TimeChart
            label={`Price of ${asset}`}
            points={data
              .map(({ price, as_of: time }) => ({
                date: `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`,
                value: Number(price),
                text: formatDollars(price),
              }))
              .toSorted((a, b) => (a.date < b.date ? -1 : 1))}
          />
        )}
      </QueryResult>
    </section>
  )
}

const holderColumns: readonly Column<ItemOf<'/flow/ft/{token}/holding'>>[] = [
  { name: 'Account', cell: ({ address }) => <AccountLink address={address} /> },
  {
    name: 'Balance',
    cell: ({ balance, is_complete: isComplete }) => (
      <span>
        <Amount amount={balance} />
        {!isComplete && <span className="soft"> or more</span>}
      </span>
    ),
    isNumber: true,
  },
  { name: 'Share', cell: ({ percentage }) => <Share part={percentage} />, isNumber: true },
]

function TokenHolders({ token }: TokenProps): ReactNode {
  return (
    <TableList
      list={useList('/flow/ft/{token}/holding', { token: token.id, limit: 25 })}
      total={{ count: token.holder_count }}
      what="holders"
      columns={holderColumns}
      itemKey={({ address }) => address}
      emptyText="Holders of this token will appear here."
    />
  )
}

const decimals = 2

function TokenNumbers({ token }: TokenProps): ReactNode {
  const { current_price: price, price_change_24h: change } = token
  const minted = formatAmount(truncateAmount(token.minted, decimals))
  const burned = formatAmount(truncateAmount(token.burned, decimals))
  return (
    <KeyNumbers>
      {price !== null && (
        <KeyNumber name="Price" note={change === null ? undefined : <PriceChange percent={change} />}>
          {formatDollars(price)}
        </KeyNumber>
      )}
      <KeyNumber name="Holders">{formatNumber(token.holder_count)}</KeyNumber>
      <KeyNumber name="Transfers" note={`${formatNumber(token.recent_transfer_count)} in 24 hours`}>
        {formatNumber(token.transfer_count)}
      </KeyNumber>
      <KeyNumber
        name="Volume in 24 hours"
        note={
          price === null
            ? undefined
            : `${formatDollars(String(Number(token.recent_volume) * Number(price)))} at the current price`
        }
      >
        <Amount amount={token.recent_volume} decimals={decimals} />
      </KeyNumber>
      <KeyNumber name="Supply" note={`${minted} minted, ${burned} burned`}>
        <Amount amount={token.total_supply} decimals={decimals} />
      </KeyNumber>
    </KeyNumbers>
  )
}

function PriceChange({ percent }: { readonly percent: number }): ReactNode {
  const text = `${percent > 0 ? '+' : ''}${percent.toFixed(2)}% in 24 hours`
  return <span className={percent < 0 ? 'decrease' : 'increase'}>{text}</span>
}
