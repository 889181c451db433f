import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { NftCollection } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { Detail, DetailList, KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { AccountLink, ContractLink, Identity } from '../parts/identity.tsx'
import { ItemCard } from '../parts/item-card.tsx'
import { ItemTransfers } from '../parts/item-transfers.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { OutsideLink } from '../parts/outside-link.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useAnswer, useList } from '../queries.ts'
import { contractNameOf, contractOf, sayName } from '../text.ts'

export function CollectionPage({ values: { type = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/nft/{nft_type}', { nft_type: type })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Collection"
        title={sayName(found?.display_name ?? contractNameOf(type))}
        aside={found?.is_verified === true && <Badge tone="good">Verified</Badge>}
      />
      <Answer query={query} what="this collection" rows={6}>
        {({ data: [answer] }) => answer !== undefined && <Parts collection={answer} />}
      </Answer>
    </>
  )
}

function Parts({ collection }: { readonly collection: NftCollection }): ReactNode {
  const { id } = collection
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Items">{formatNumber(collection.number_of_tokens)}</KeyNumber>
        <KeyNumber name="Holders">{formatNumber(collection.holder_count)}</KeyNumber>
        <KeyNumber name="Transfers" note={`${formatNumber(collection.recent_transfer_count)} lately`}>
          {formatNumber(collection.transfer_count)}
        </KeyNumber>
        <KeyNumber name="Minted" note={`${formatNumber(collection.burn_count)} burned`}>
          {formatNumber(collection.mint_count)}
        </KeyNumber>
      </KeyNumbers>
      <AddressTabs
        label="Parts of the collection"
        tabs={[
          { name: 'items', label: 'Items', render: () => <Items type={id} /> },
          { name: 'holders', label: 'Holders', render: () => <Holders type={id} /> },
          { name: 'transfers', label: 'Transfers', render: () => <CollectionTransfers type={id} /> },
          { name: 'about', label: 'About', render: () => <About collection={collection} /> },
        ]}
      />
    </>
  )
}

function Items({ type }: { readonly type: string }): ReactNode {
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

const holderColumns = [{ name: 'Account' }, { name: 'Items', isNumber: true }, { name: 'Share', isNumber: true }]

function Holders({ type }: { readonly type: string }): ReactNode {
  const list = useList('/flow/nft/{nft_type}/holding', { nft_type: type, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="holders"
      columns={holderColumns}
      whenEmpty="Nobody holds an item of this collection."
      renderRow={({ owner, count, percentage }) => (
        <Row key={owner}>
          <RowName>
            <AccountLink address={owner} />
          </RowName>
          <Cell label="Items" className="number">
            {formatNumber(count)}
          </Cell>
          <Cell label="Share" className="number">
            {percentage.toFixed(2)}%
          </Cell>
        </Row>
      )}
    />
  )
}

function CollectionTransfers({ type }: { readonly type: string }): ReactNode {
  return <ItemTransfers list={useList('/flow/nft/transfer', { nft_type: type, limit: 25 })} />
}

function About({ collection }: { readonly collection: NftCollection }): ReactNode {
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
        {collection.external_url !== null && (
          <Detail name="Website">
            <OutsideLink to={collection.external_url} />
          </Detail>
        )}
      </DetailList>
    </section>
  )
}
