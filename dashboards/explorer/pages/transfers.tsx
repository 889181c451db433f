import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import { useList } from '../api.ts'
import type { ItemOf } from '../api.ts'
import { NftTransfers, TokenTransferList, transferFilters } from '../parts/assets.tsx'
import { useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { TableList } from '../parts/lists.tsx'
import { PageTitle, UrlTabs } from '../parts/page.tsx'
import { Amount, NoValue, OptionalAccountLink, TransactionLink } from '../parts/values.tsx'
import { formatDollars, humanize, paths, symbolOf } from '../text.ts'

const tokenFilters: readonly Filter[] = [{ kind: 'token', name: 'token', label: 'Token' }, ...transferFilters]

const nftFilters: readonly Filter[] = [
  { kind: 'collection', name: 'nft_type', label: 'Collection' },
  ...transferFilters,
]

export function TransfersPage(): ReactNode {
  return (
    <>
      <PageTitle title="Transfers" />
      <UrlTabs
        label="Transfers"
        tabs={[
          { name: 'tokens', label: 'Tokens', render: () => <AllTokenTransfers /> },
          { name: 'nfts', label: 'NFTs', render: () => <AllNftTransfers /> },
          { name: 'large', label: 'Large', render: () => <LargeTransfers /> },
        ]}
      />
    </>
  )
}

function AllTokenTransfers(): ReactNode {
  const list = useList('/flow/ft/transfer', { ...useFilterValues(tokenFilters), limit: 25 })
  return <TokenTransferList list={list} filters={tokenFilters} hasToken />
}

function AllNftTransfers(): ReactNode {
  const list = useList('/flow/nft/transfer', { ...useFilterValues(nftFilters), limit: 25 })
  return <NftTransfers list={list} filters={nftFilters} />
}

const largeColumns: readonly Column<ItemOf<'/insights/big-transfers'>>[] = [
  { name: 'Transaction', cell: ({ tx_id: id, block_height: height }) => <TransactionLink id={id} height={height} /> },
  { name: 'Kind', cell: ({ type }) => <Badge>{humanize(type)}</Badge> },
  { name: 'From', cell: ({ from_address: from }) => <OptionalAccountLink address={from} /> },
  { name: 'To', cell: ({ to_address: to }) => <OptionalAccountLink address={to} /> },
  {
    name: 'Amount',
    cell: ({ amount, token, token_symbol: symbol }) => (
      <span>
        <Amount amount={amount} decimals={2} /> <Link to={paths.token(token)}>{symbolOf(token, symbol)}</Link>
      </span>
    ),
    isNumber: true,
  },
  {
    name: 'Value',
    cell: ({ usd_value: dollars }) => (dollars === null ? <NoValue /> : formatDollars(dollars)),
    isNumber: true,
  },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true },
]

const largeFilters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'min_usd',
    label: 'Value',
    options: { '1000': '$1,000 or more', '100000': '$100,000 or more', '1000000': '$1,000,000 or more' },
  },
]

function LargeTransfers(): ReactNode {
  return (
    <TableList
      list={useList('/insights/big-transfers', { ...useFilterValues(largeFilters), limit: 25 })}
      filters={largeFilters}
      what="large transfers"
      columns={largeColumns}
      itemKey={({ tx_id: id, event_index: event, leg }) => `${id} ${event} ${leg}`}
      emptyText="Transfers worth $10,000 or more will appear here."
    />
  )
}
