import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Link } from '../../kit/link.tsx'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { EvmTransactionList } from '../parts/evm-transaction-list.tsx'
import { AccountLink } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { paths } from '../paths.ts'
import { useList } from '../queries.ts'
import { sayName, shorten } from '../text.ts'

export function EvmPage(): ReactNode {
  return (
    <>
      <PageTitle title="Flow EVM" />
      <p className="lead">
        The part of Flow that runs programs written for Ethereum. Flow accounts act in it by an address of their own.
      </p>
      <AddressTabs
        label="Parts of the EVM"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <Transactions /> },
          { name: 'tokens', label: 'Tokens', render: () => <Tokens /> },
        ]}
      />
    </>
  )
}

function Transactions(): ReactNode {
  const list = useList('/flow/evm/transaction', { limit: 25 })
  return <EvmTransactionList list={list} whenEmpty="Nothing ran in the EVM so far." />
}

const columns = [
  { name: 'Token' },
  { name: 'Kind' },
  { name: 'Address' },
  { name: 'Holders', isNumber: true },
  { name: 'Transfers', isNumber: true },
]

function Tokens(): ReactNode {
  const list = useList('/flow/evm/token', { limit: 25 })
  return (
    <ListPanel
      list={list}
      what="tokens"
      columns={columns}
      whenEmpty="Tokens of the EVM show up with their first transfer."
      renderRow={(token) => (
        <Row key={`${token.address} ${token.type}`}>
          <RowName>
            <span className="token-name">
              <Link to={paths.evmToken(token.address)}>{sayName(token.name ?? shorten(token.address))}</Link>
              {token.symbol !== null && <span className="soft">{sayName(token.symbol)}</span>}
            </span>
          </RowName>
          <Cell label="Kind">
            <Badge>{token.type}</Badge>
          </Cell>
          <Cell label="Address">
            <AccountLink address={token.address} />
          </Cell>
          <Cell label="Holders" className="number">
            {formatNumber(token.holders)}
          </Cell>
          <Cell label="Transfers" className="number">
            {formatNumber(token.transfer_count)}
          </Cell>
        </Row>
      )}
    />
  )
}
