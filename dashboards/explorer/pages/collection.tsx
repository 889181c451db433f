import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { NftCollection } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { CollectionVolume } from '../parts/daily-moves.tsx'
import { KeyNumber, KeyNumbers, Detail, DetailList } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, ContractLink, Identity } from '../parts/identity.tsx'
import { ItemCard } from '../parts/item-card.tsx'
import { ItemTransfers } from '../parts/item-transfers.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { OutsideLink } from '../parts/outside-link.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Picture } from '../parts/picture.tsx'
import { Share } from '../parts/share.tsx'
import { useAnswer, useList } from '../queries.ts'
import { contractNameOf, sayName, contractOf } from '../text.ts'

export function CollectionPage({ values: { type = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/nft/{nft_type}', { nft_type: type })
  const found = query.data?.data[0]
  const name = sayName(found?.display_name ?? contractNameOf(type))
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
