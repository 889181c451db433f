import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { EvmToken } from '../gen/answers.ts'
import { Link } from '../../kit/link.tsx'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { EvmTransfers } from '../parts/evm-transfers.tsx'
import { AccountLink, BlockLink, EvmPartyLink } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { paths } from '../paths.ts'
import { useAnswer, useList } from '../queries.ts'
import { contractNameOf, formatDollars, formatEvmAmount, sayName, shorten } from '../text.ts'

export function EvmTokenPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/evm/token/{address}', { address })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="EVM token"
        title={sayName(found?.name ?? shorten(address))}
        aside={found !== undefined && <Badge>{found.type}</Badge>}
      />
      <Answer query={query} what="this EVM token" rows={5}>
        {({ data: [token] }) => token !== undefined && <Parts token={token} />}
      </Answer>
    </>
  )
}

function Parts({ token }: { readonly token: EvmToken }): ReactNode {
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Holders">{formatNumber(token.holders)}</KeyNumber>
        <KeyNumber name="Transfers">{formatNumber(token.transfer_count)}</KeyNumber>
        <KeyNumber name="First block">
          <BlockLink height={token.first_height} />
        </KeyNumber>
        <KeyNumber name="Contract">
          <AccountLink address={token.address} hasCopy />
        </KeyNumber>
        {token.exchange_rate !== null && <KeyNumber name="Price">{formatDollars(token.exchange_rate)}</KeyNumber>}
        {token.flow_token !== null && (
          <KeyNumber name="Bridged from">
            <Link to={paths.token(token.flow_token)}>{contractNameOf(token.flow_token)}</Link>
          </KeyNumber>
        )}
      </KeyNumbers>
      <AddressTabs
        label="Parts of the EVM token"
        tabs={[
          { name: 'transfers', label: 'Transfers', render: () => <Transfers address={token.address} /> },
          { name: 'holders', label: 'Holders', render: () => <Holders token={token} /> },
        ]}
      />
    </>
  )
}

function Transfers({ address }: { readonly address: string }): ReactNode {
  return <EvmTransfers list={useList('/flow/evm/token/{address}/token-transfers', { address, limit: 25 })} />
}

function Holders({ token }: { readonly token: EvmToken }): ReactNode {
  const list = useList('/flow/evm/token/{address}/holding', { address: token.address, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="holders"
      columns={[{ name: 'Address' }, { name: 'Balance', isNumber: true }]}
      whenEmpty="Nobody holds this token."
      renderRow={({ address, value }) => (
        <Row key={address.hash}>
          <RowName>
            <EvmPartyLink party={address} />
          </RowName>
          <Cell label="Balance" className="number">
            {formatEvmAmount(value, token, sayName(token.symbol ?? '', ''))}
          </Cell>
        </Row>
      )}
    />
  )
}
