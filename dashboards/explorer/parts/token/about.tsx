import type { ReactNode } from 'react'
import type { FungibleToken } from '../../gen/answers.ts'
import { contractOf } from '../../text.ts'
import { Detail, DetailList } from '../detail-list.tsx'
import { AccountLink, BlockLink, ContractLink, Identity } from '../identity.tsx'
import { OutsideLink } from '../outside-link.tsx'

export function TokenAbout({ token }: { readonly token: FungibleToken }): ReactNode {
  return (
    <section className="panel" aria-label="About">
      <DetailList>
        {token.description !== null && <Detail name="Description">{token.description}</Detail>}
        <Detail name="Type">
          <Identity id={token.id} what="type" isWhole hasCopy />
        </Detail>
        <Detail name="Contract">
          <ContractLink identifier={contractOf(token.id)} /> of <AccountLink address={token.address} />
        </Detail>
        <Detail name="Decimals">{token.decimals}</Detail>
        {token.evm_address !== null && (
          <Detail name="In the EVM">
            <AccountLink address={token.evm_address} isWhole hasCopy />
          </Detail>
        )}
        {token.first_height !== null && (
          <Detail name="First moved in block">
            <BlockLink height={token.first_height} />
          </Detail>
        )}
        {token.external_url !== null && (
          <Detail name="Website">
            <OutsideLink to={token.external_url} />
          </Detail>
        )}
        {token.vault_path !== null && <Detail name="Vault">{token.vault_path}</Detail>}
      </DetailList>
    </section>
  )
}
