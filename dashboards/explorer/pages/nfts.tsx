import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import type { NftCollection, NftItem } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { AssetDetails, CollectionVolume, ItemCard, NftTransfers, transferFilters } from '../parts/assets.tsx'
import { useFilterValues, useSorting } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { CardList, ItemResult, ListFilter, TableList } from '../parts/lists.tsx'
import { PageTitle, UrlTabs, KeyNumber, KeyNumbers, Detail, DetailList, DetailPanel } from '../parts/page.tsx'
import {
  AccountLink,
  BlockLink,
  ExternalLink,
  Identity,
  OptionalAccountLink,
  Picture,
  Share,
} from '../parts/values.tsx'
import { paths, sanitizeName, contractNameOf } from '../text.ts'

const filters: readonly Filter[] = [
  { kind: 'choice', name: 'filter', label: 'Show only', options: { evm_bridged: 'Bridged to EVM' } },
]

const orders = [
  { sort: 'holders', label: 'Most holders' },
  { sort: 'items', label: 'Most items' },
  { sort: 'trending', label: 'Most active in 24 hours' },
  { sort: 'transfers', label: 'Most transfers' },
  { sort: 'newest', label: 'Newest' },
  { sort: 'name', label: 'Name', isAscending: true },
] as const

export function CollectionsPage(): ReactNode {
  const [search] = useSearchValue('search')
  const sorting = useSorting(orders)
  const isWhole = search === '' && ['newest', 'name'].includes(sorting.order)
  const { data: statistics } = useApi('/flow/nft/stats', {}, { isEnabled: isWhole })
  return (
    <>
      <PageTitle title="NFT collections" aside={<ListFilter label="Collection name" />} />
      <CardList
        list={useList('/flow/nft', { limit: 24, search, sort: sorting.order, ...useFilterValues(filters) })}
        filters={filters}
        sorting={sorting}
        total={isWhole && statistics !== undefined ? { count: statistics.data.total } : undefined}
        what="collections"
        emptyText={
          search === ''
            ? 'Collections will appear here after their first transfer.'
            : 'No collections match this name. Try a shorter one.'
        }
        renderCard={(collection) => <CollectionCard key={collection.id} collection={collection} />}
      />
    </>
  )
}

interface CollectionProps {
  readonly collection: NftCollection
}

function CollectionCard({
  collection: { id, display_name: name, square_image: image, ...counts },
}: {
  readonly collection: ItemOf<'/flow/nft'>
}): ReactNode {
  return (
    <li className="card">
      <Link to={paths.collection(id)}>
        <Picture source={image} alt="" size="fill" seed={id} />
        <span className="card-name">{sanitizeName(name)}</span>
        <span className="soft">
          {formatCount(counts.number_of_tokens, 'item')}, {formatCount(counts.holder_count, 'holder')}
        </span>
      </Link>
    </li>
  )
}

export function CollectionPage({ values: { type = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/nft/{nft_type}', { nft_type: type })
  const found = query.data?.data[0]
  const name = sanitizeName(found?.display_name ?? contractNameOf(type))
  return (
    <>
      <PageTitle
        kind="Collection"
        title={name}
        aside={found?.is_verified === true && <Badge tone="good">Verified</Badge>}
      >
        {found !== undefined && <Picture source={found.square_image} alt="" size={28} seed={found.id} />}
        {` ${name}`}
      </PageTitle>
      <ItemResult query={query} what="this collection" rows={6}>
        {(collection) => (
          <>
            <CollectionNumbers collection={collection} />
            <UrlTabs
              label="Collection"
              tabs={[
                { name: 'items', label: 'Items', render: () => <CollectionItems type={collection.id} /> },
                { name: 'holders', label: 'Holders', render: () => <CollectionHolders collection={collection} /> },
                { name: 'transfers', label: 'Transfers', render: () => <Transfers collection={collection} /> },
                { name: 'volume', label: 'Volume', render: () => <CollectionVolume type={collection.id} /> },
                { name: 'about', label: 'About', render: () => <CollectionAbout collection={collection} /> },
              ]}
            />
          </>
        )}
      </ItemResult>
    </>
  )
}

function CollectionNumbers({ collection }: CollectionProps): ReactNode {
  return (
    <KeyNumbers>
      <KeyNumber name="Items">{formatNumber(collection.number_of_tokens)}</KeyNumber>
      <KeyNumber name="Holders">{formatNumber(collection.holder_count)}</KeyNumber>
      <KeyNumber name="Transfers in 24 hours" note={`${formatNumber(collection.transfer_count)} indexed in total`}>
        {formatNumber(collection.recent_transfer_count)}
      </KeyNumber>
      <KeyNumber name="Minted" note={`${formatNumber(collection.burn_count)} burned`}>
        {formatNumber(collection.mint_count)}
      </KeyNumber>
    </KeyNumbers>
  )
}

interface TypeProps {
  readonly type: string
}

function Transfers({ collection: { id, transfer_count: count } }: CollectionProps): ReactNode {
  const list = useList('/flow/nft/transfer', { ...useFilterValues(transferFilters), nft_type: id, limit: 25 })
  return <NftTransfers list={list} filters={transferFilters} total={{ count }} />
}

function CollectionItems({ type }: TypeProps): ReactNode {
  return (
    <CardList
      list={useList('/flow/nft/{nft_type}/item', { nft_type: type, limit: 24 })}
      what="items"
      emptyText="Items of this collection will appear here."
      renderCard={(item) => <ItemCard key={item.nft_id} item={item} />}
    />
  )
}

const holderColumns: readonly Column<ItemOf<'/flow/nft/{nft_type}/holding'>>[] = [
  { name: 'Account', cell: ({ owner }) => <AccountLink address={owner} /> },
  { name: 'Items', cell: ({ count }) => formatNumber(count), isNumber: true },
  { name: 'Share', cell: ({ percentage }) => <Share part={percentage} />, isNumber: true },
]

function CollectionHolders({ collection: { id, holder_count: count } }: CollectionProps): ReactNode {
  return (
    <TableList
      list={useList('/flow/nft/{nft_type}/holding', { nft_type: id, limit: 25 })}
      total={{ count }}
      what="holders"
      columns={holderColumns}
      itemKey={({ owner }) => owner}
      emptyText="Holders of this collection will appear here."
    />
  )
}

function CollectionAbout({ collection }: CollectionProps): ReactNode {
  return (
    <DetailPanel label="About">
      <AssetDetails asset={collection} type={collection.nft_type} />
    </DetailPanel>
  )
}

export function ItemPage({ values: { type = '', id = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/nft/{nft_type}/item/{id}', { nft_type: type, id })
  const transfers = useList('/flow/nft/{nft_type}/item/{id}/transfer', { nft_type: type, id, limit: 20 })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="NFT"
        title={sanitizeName(found?.name ?? '', `${contractNameOf(type)} #${id}`)}
        aside={found?.is_burned === true && <Badge tone="warn">Burned</Badge>}
      />
      <ItemResult query={query} what="this NFT" rows={6}>
        {(item) => <ItemDetails item={item} />}
      </ItemResult>
      {found !== undefined && (
        <>
          <h2>Transfer history</h2>
          <NftTransfers list={transfers} hasItem={false} />
        </>
      )}
    </>
  )
}

function ItemDetails({ item }: { readonly item: NftItem }): ReactNode {
  const { edition_name: edition, edition_number: number, edition_max: max, rarity_description: rarity, traits } = item
  return (
    <section className="panel item" aria-label="Item">
      <div className="item-picture">
        <Picture
          source={item.thumbnail}
          alt={sanitizeName(item.name)}
          size="fill"
          seed={`${item.nft_type} ${item.nft_id}`}
          hasNote
        />
      </div>
      <DetailList>
        {item.description !== null && <Detail name="Description">{item.description}</Detail>}
        <Detail name="Owner">
          <OptionalAccountLink address={item.owner} isWhole hasCopy />
        </Detail>
        <Detail name="Collection">
          <Link to={paths.collection(item.nft_type)}>{contractNameOf(item.nft_type)}</Link>
        </Detail>
        <Detail name="ID">
          <Identity id={item.nft_id} what="ID" isWhole hasCopy />
        </Detail>
        {item.serial_number !== null && <Detail name="Serial number">{item.serial_number}</Detail>}
        {number !== null && (
          <Detail name="Edition">
            {edition} {number} {max !== null && `of ${max}`}
          </Detail>
        )}
        {rarity !== null && <Detail name="Rarity">{rarity}</Detail>}
        <Detail name="Last transfer in block">
          <BlockLink height={item.block_height} />
        </Detail>
        {item.external_url !== null && (
          <Detail name="Website">
            <ExternalLink to={item.external_url} />
          </Detail>
        )}
        {traits !== null && traits.length > 0 && (
          <Detail name="Traits">
            <Traits traits={traits} />
          </Detail>
        )}
      </DetailList>
    </section>
  )
}

function Traits({ traits }: { readonly traits: NonNullable<NftItem['traits']> }): ReactNode {
  return (
    <dl className="tree">
      {traits.map(({ name, value, rarity }, i) => (
        // Names may repeat.
        <div key={i}>
          <dt>{name}</dt>
          <dd>
            {value ?? '–'} {rarity !== null && <span className="soft">{rarity}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
