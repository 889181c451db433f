import type { ReactNode } from 'react'
import type { NftCollection } from '../../gen/answers.ts'
import { contractOf } from '../../text.ts'
import { Detail, DetailList } from '../detail-list.tsx'
import { AccountLink, BlockLink, ContractLink, Identity } from '../identity.tsx'
import { OutsideLink } from '../outside-link.tsx'

export function CollectionAbout({ collection }: { readonly collection: NftCollection }): ReactNode {
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
