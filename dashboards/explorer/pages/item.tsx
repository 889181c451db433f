import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { Link } from '../../kit/link.tsx'
import type { NftItem } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { Answer } from '../parts/answer.tsx'
import { Detail, DetailList } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, Identity } from '../parts/identity.tsx'
import { ItemTransfers } from '../parts/item-transfers.tsx'
import { OutsideLink } from '../parts/outside-link.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Picture } from '../parts/picture.tsx'
import { paths } from '../paths.ts'
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

/** What is to be seen of an item, and what is known of it. */
function ItemDetails({ item }: { readonly item: NftItem }): ReactNode {
  const { edition_name: edition, edition_number: number, edition_max: most, rarity_description: rarity, traits } = item
  return (
    <section className="panel item" aria-label="Item">
      <div className="item-picture">
        <Picture
          source={item.thumbnail}
          alt={sayName(item.name)}
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
            {edition} {number} {most !== null && `of ${most}`}
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
