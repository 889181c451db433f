import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import type { PageProps } from '../pages.ts'
import { Answer } from '../parts/answer.tsx'
import { ItemDetails } from '../parts/collection/item-details.tsx'
import { ItemTransfers } from '../parts/item-transfers.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useAnswer, useList } from '../queries.ts'
import { contractNameOf, sayName } from '../text.ts'

export function ItemPage({ values: { type = '', id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/nft/{nft_type}/item/{id}', { nft_type: type, id })
  const transfers = useList('/flow/nft/{nft_type}/item/{id}/transfer', { nft_type: type, id, limit: 20 })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="NFT"
        title={sayName(found?.name ?? '', `${contractNameOf(type)} #${id}`)}
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
