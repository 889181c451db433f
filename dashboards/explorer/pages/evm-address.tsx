import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { EvmAddress } from '../gen/answers.ts'
import { Link } from '../../kit/link.tsx'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { Detail, DetailList } from '../parts/detail-list.tsx'
import { EvmTransactionList } from '../parts/evm-transaction-list.tsx'
import { EvmTransfers } from '../parts/evm-transfers.tsx'
import { AccountLink, BlockLink, EvmPartyLink, EvmTransactionLink, Identity } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { paths } from '../paths.ts'
import { useAnswer, useList } from '../queries.ts'
import { formatAmount, formatEvmAmount, sayName, shorten } from '../text.ts'

export function EvmAddressPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/evm/address/{address}', { address })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind={found?.is_contract === true ? 'EVM contract' : 'EVM address'}
        title={sayName(found?.name ?? shorten(address))}
        aside={found?.is_coa === true && <Badge tone="busy">Owned by a Flow account</Badge>}
      >
        {found?.name === null || found === undefined ? <Identity id={address} what="address" hasCopy /> : undefined}
      </PageTitle>
      <Answer query={query} what="this EVM address" rows={5}>
        {({ data: [answer] }) => answer !== undefined && <Parts address={answer} />}
      </Answer>
    </>
  )
}

function Parts({ address }: { readonly address: EvmAddress }): ReactNode {
  const { hash, flow_address: owner, token, creator, creation_transaction_hash: creation } = address
  return (
    <>
      <section className="panel" aria-label="Address">
        <DetailList>
          <Detail name="Address">
            <Identity id={hash} what="address" isWhole hasCopy />
          </Detail>
          {owner !== null && (
            <Detail name="Flow account">
              <AccountLink address={owner} isWhole hasCopy />
            </Detail>
          )}
          {token !== null && (
            <Detail name="Token">
              <Link to={paths.evmToken(token.address)}>{sayName(token.name ?? token.symbol ?? 'Its token')}</Link>{' '}
              <Badge>{token.type}</Badge>
            </Detail>
          )}
          {creator !== null && (
            <Detail name="Created by">
              <EvmPartyLink party={creator} />
              {creation !== null && (
                <>
                  {' '}
                  in <EvmTransactionLink hash={creation} />
                </>
              )}
            </Detail>
          )}
          {address.first_height !== null && (
            <Detail name="Seen in blocks">
              <BlockLink height={address.first_height} />
              {address.last_height !== null && (
                <>
                  {' '}
                  to <BlockLink height={address.last_height} />
                </>
              )}
            </Detail>
          )}
        </DetailList>
      </section>
      <AddressTabs
        label="Parts of the EVM address"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <Transactions address={hash} /> },
          { name: 'transfers', label: 'Token transfers', render: () => <Transfers address={hash} /> },
          { name: 'tokens', label: 'Tokens', render: () => <Tokens address={hash} /> },
          { name: 'nfts', label: 'NFTs', render: () => <Items address={hash} /> },
        ]}
      />
    </>
  )
}

interface PartProps {
  readonly address: string
}

function Transactions({ address }: PartProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/transactions', { address, limit: 20 })
  return <EvmTransactionList list={list} whenEmpty="This address has sent nothing and was sent nothing." />
}

function Transfers({ address }: PartProps): ReactNode {
  return <EvmTransfers list={useList('/flow/evm/address/{address}/token-transfers', { address, limit: 20 })} />
}

const tokenColumns = [{ name: 'Token' }, { name: 'Balance', isNumber: true }]

function Tokens({ address }: PartProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/token', { address, limit: 50 })
  return (
    <ListPanel
      list={list}
      what="tokens"
      columns={tokenColumns}
      whenEmpty="This address holds no tokens of the EVM."
      renderRow={({ token, value }) => (
        <Row key={`${token.address} ${token.type}`}>
          <RowName>
            <Link to={paths.evmToken(token.address)}>{sayName(token.name ?? shorten(token.address))}</Link>
          </RowName>
          <Cell label="Balance" className="number">
            {formatEvmAmount(value, token, sayName(token.symbol ?? '', ''))}
          </Cell>
        </Row>
      )}
    />
  )
}

function Items({ address }: PartProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/nft', { address, limit: 50 })
  return (
    <ListPanel
      list={list}
      what="NFTs"
      columns={[{ name: 'NFT' }, { name: 'Kind' }, { name: 'Count', isNumber: true }]}
      whenEmpty="This address holds no NFTs of the EVM."
      renderRow={({ token, token_id: id, value }) => (
        <Row key={`${token.address} ${id}`}>
          <RowName>
            <Link to={paths.evmToken(token.address)}>
              {sayName(token.name ?? shorten(token.address))} #{id}
            </Link>
          </RowName>
          <Cell label="Kind">
            <Badge>{token.type}</Badge>
          </Cell>
          <Cell label="Count" className="number">
            {formatAmount(value)}
          </Cell>
        </Row>
      )}
    />
  )
}
