import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { useList } from '../queries.ts'
import { humanize } from '../text.ts'
import { Amount } from './amount.tsx'
import { AccountLink, TransactionLink } from './identity.tsx'
import { ListPanel } from './list-panel.tsx'

const columns = [
  { name: 'Transaction' },
  { name: 'Kind' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Amount', isNumber: true },
  { name: 'Age', isNumber: true },
]

export function TokenTransfers({ token }: { readonly token: string }): ReactNode {
  const list = useList('/flow/ft/transfer', { token, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="transfers"
      columns={columns}
      whenEmpty="This token was not moved so far."
      renderRow={(transfer) => (
        <Row key={`${transfer.transaction_hash} ${transfer.event_index} ${transfer.leg}`}>
          <RowName>
            <TransactionLink id={transfer.transaction_hash} height={transfer.block_height} />
          </RowName>
          <Cell label="Kind">
            <Badge>{humanize(transfer.transfer_type)}</Badge>
          </Cell>
          <Cell label="From">
            <Side address={transfer.sender} />
          </Cell>
          <Cell label="To">
            <Side address={transfer.receiver} />
          </Cell>
          <Cell label="Amount" className="number">
            <Amount amount={transfer.amount} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transfer.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}

/** One side of a move; nobody where it came into being or ended. */
export function Side({ address }: { readonly address: string | null }): ReactNode {
  return address === null ? <span className="soft">nobody</span> : <AccountLink address={address} />
}
