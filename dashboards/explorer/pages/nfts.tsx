import type { ReactNode } from 'react'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { ListFilter, ListPanel, Answer } from '../parts/lists.tsx'
import { PageTitle, AddressTabs, KeyNumber, KeyNumbers, Detail, DetailList } from '../parts/page.tsx'
import { Picture, AccountLink, BlockLink, ContractLink, Identity, OutsideLink, Share } from '../parts/values.tsx'
import { paths, sanitizeName, contractNameOf, contractOf } from '../text.ts'
import { useList, useAnswer } from '../api.ts'
import { Badge } from '../../kit/controls.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { NftCollection, NftItem } from '../answers.gen.ts'
import type { PageProps } from '../pages.ts'
import { CollectionVolume, ItemCard, ItemTransfers } from '../parts/transfers.tsx'

export function CollectionsPage(): ReactNode {
  const [search] = useSearchValue('search')
  const list = useList('/flow/nft', { limit: 24, search })
  return (
    <>
      <PageTitle title="NFT collections" aside={<ListFilter label="Name of a collection" />} />
      <ListPanel
        list={list}
        what="collections"
        whenEmpty={
          search === '' ? 'Collections show up with the first move of an item.' : 'No collection is called so.'
        }
        renderRow={({
          id,
          display_name: name,
          square_image: image,
          number_of_tokens: items,
          holder_count: holders,
        }) => (
          <li key={id} className="card">
            <Link to={paths.collection(id)}>
              <Picture source={image} alt="" size="fill" of={id} />
              <span className="card-name">{sanitizeName(name)}</span>
              <span className="soft">
                {formatCount(items, 'item')}, {formatCount(holders, 'holder')}
              </span>
            </Link>
          </li>
        )}
      />
    </>
  )
}

export function CollectionPage({ values: { type = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/nft/{nft_type}', { nft_type: type })
  const found = query.data?.data[0]
  const name = sanitizeName(found?.display_name ?? contractNameOf(type))
  return (
    <>
      <PageTitle
        kind="Collection"
        title={name}
        aside={found?.is_verified === true && <Badge tone="good">Verified</Badge>}
      >
        {found !== undefined && <Picture source={found.square_image} alt="" size={28} of={found.id} />}
        {` ${name}`}
      </PageTitle>
      <Answer query={query} what="this collection" rows={6}>
        {({ data: [collection] }) =>
          collection !== undefined && (
            <>
              <Numbers collection={collection} />
              <AddressTabs
                label="Parts of the collection"
                tabs={[
                  { name: 'items', label: 'Items', render: () => <CollectionItems type={collection.id} /> },
                  { name: 'holders', label: 'Holders', render: () => <CollectionHolders type={collection.id} /> },
                  { name: 'transfers', label: 'Transfers', render: () => <Transfers type={collection.id} /> },
                  { name: 'volume', label: 'Volume', render: () => <CollectionVolume type={collection.id} /> },
                  { name: 'about', label: 'About', render: () => <CollectionAbout collection={collection} /> },
                ]}
              />
            </>
          )
        }
      </Answer>
    </>
  )
}

function Numbers({ collection }: { readonly collection: NftCollection }): ReactNode {
  return (
    <KeyNumbers>
      <KeyNumber name="Items">{formatNumber(collection.number_of_tokens)}</KeyNumber>
      <KeyNumber name="Holders">{formatNumber(collection.holder_count)}</KeyNumber>
      <KeyNumber
        name="Volume in 24 hours"
        note={`${formatNumber(collection.transfer_count)} transfers since it is indexed`}
      >
        {formatNumber(collection.recent_transfer_count)} transfers
      </KeyNumber>
      <KeyNumber name="Minted" note={`${formatNumber(collection.burn_count)} burned`}>
        {formatNumber(collection.mint_count)}
      </KeyNumber>
    </KeyNumbers>
  )
}

function Transfers({ type }: { readonly type: string }): ReactNode {
  return <ItemTransfers list={useList('/flow/nft/transfer', { nft_type: type, limit: 25 })} />
}

function CollectionItems({ type }: { readonly type: string }): ReactNode {
  const list = useList('/flow/nft/{nft_type}/item', { nft_type: type, limit: 24 })
  return (
    <ListPanel
      list={list}
      what="items"
      whenEmpty="No item of this collection was seen."
      renderRow={(item) => <ItemCard key={item.nft_id} item={item} />}
    />
  )
}

const columns = [{ name: 'Account' }, { name: 'Items', isNumber: true }, { name: 'Part of all items', isNumber: true }]

function CollectionHolders({ type }: { readonly type: string }): ReactNode {
  const list = useList('/flow/nft/{nft_type}/holding', { nft_type: type, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="holders"
      columns={columns}
      whenEmpty="Nobody holds an item of this collection."
      renderRow={({ owner, count, percentage }) => (
        <Row key={owner}>
          <RowName>
            <AccountLink address={owner} />
          </RowName>
          <Cell label="Items" className="number">
            {formatNumber(count)}
          </Cell>
          <Cell label="Part of all items" className="number">
            <Share part={percentage} />
          </Cell>
        </Row>
      )}
    />
  )
}

function CollectionAbout({ collection }: { readonly collection: NftCollection }): ReactNode {
  return (
    <section className="panel" aria-label="About">
      <DetailList>
        {collection.description !== null && <Detail name="Description">{collection.description}</Detail>}
        <Detail name="Type">
          <Identity id={collection.nft_type} what="type" isWhole hasCopy />
        </Detail>
        <Detail name="Contract">
          <ContractLink identifier={contractOf(collection.id)} /> of <AccountLink address={collection.address} />
        </Detail>
        {collection.evm_address !== null && (
          <Detail name="In the EVM">
            <AccountLink address={collection.evm_address} isWhole hasCopy />
          </Detail>
        )}
        {collection.first_height !== null && (
          <Detail name="First moved in block">
            <BlockLink height={collection.first_height} />
          </Detail>
        )}
        {collection.external_url !== null && (
          <Detail name="Website">
            <OutsideLink to={collection.external_url} />
          </Detail>
        )}
      </DetailList>
    </section>
  )
}

export function ItemPage({ values: { type = '', id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/nft/{nft_type}/item/{id}', { nft_type: type, id })
  const transfers = useList('/flow/nft/{nft_type}/item/{id}/transfer', { nft_type: type, id, limit: 20 })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="NFT"
        title={sanitizeName(found?.name ?? '', `${contractNameOf(type)} #${id}`)}
        aside={found?.is_burned === true && <Badge tone="warn">Burned</Badge>}
      />
      <Answer query={query} what="this NFT" rows={6}>
        {({ data: [item] }) => item !== undefined && <ItemDetails item={item} />}
      </Answer>
      {found !== undefined && (
        <>
          <h2>Where it went</h2>
          <ItemTransfers list={transfers} isOfOne />
        </>
      )}
    </>
  )
}

/** What is to be seen of an item, and what is known of it. */
function ItemDetails({ item }: { readonly item: NftItem }): ReactNode {
  const { edition_name: edition, edition_number: number, edition_max: max, rarity_description: rarity, traits } = item
  return (
    <section className="panel item" aria-label="Item">
      <div className="item-picture">
        <Picture
          source={item.thumbnail}
          alt={sanitizeName(item.name)}
          size="fill"
          of={`${item.nft_type} ${item.nft_id}`}
          hasNote
        />
      </div>
      <DetailList>
        {item.description !== null && <Detail name="Description">{item.description}</Detail>}
        <Detail name="Owner">
          {item.owner === null ? (
            <span className="soft">nobody</span>
          ) : (
            <AccountLink address={item.owner} isWhole hasCopy />
          )}
        </Detail>
        <Detail name="Collection">
          <Link to={paths.collection(item.nft_type)}>{contractNameOf(item.nft_type)}</Link>
        </Detail>
        <Detail name="Id">
          <Identity id={item.nft_id} what="id" isWhole hasCopy />
        </Detail>
        {item.serial_number !== null && <Detail name="Serial number">{item.serial_number}</Detail>}
        {number !== null && (
          <Detail name="Edition">
            {edition} {number} {max !== null && `of ${max}`}
          </Detail>
        )}
        {rarity !== null && <Detail name="Rarity">{rarity}</Detail>}
        <Detail name="Last moved in block">
          <BlockLink height={item.block_height} />
        </Detail>
        {item.external_url !== null && (
          <Detail name="Website">
            <OutsideLink to={item.external_url} />
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
        // Two traits may have one name.
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
