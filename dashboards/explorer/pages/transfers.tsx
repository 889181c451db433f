import type { ReactNode } from 'react'
import { useList } from '../api.ts'
import { NftTransfers, TokenTransferList, transferFilters } from '../parts/assets.tsx'
import { useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { PageTitle, UrlTabs } from '../parts/page.tsx'

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
