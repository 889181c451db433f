import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { NftCollection } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { CollectionAbout } from '../parts/collection/about.tsx'
import { CollectionHolders } from '../parts/collection/holders.tsx'
import { CollectionItems } from '../parts/collection/items.tsx'
import { KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { ItemTransfers } from '../parts/item-transfers.tsx'
import { CollectionVolume } from '../parts/daily-moves.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Picture } from '../parts/picture.tsx'
import { useAnswer, useList } from '../queries.ts'
import { contractNameOf, sayName } from '../text.ts'

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
