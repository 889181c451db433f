import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { NftTransfer } from '../gen/answers.ts'
import { Link } from '../../kit/link.tsx'
import { paths } from '../paths.ts'
import type { ListPath, ListQuery } from '../queries.ts'
import { humanize, sayName } from '../text.ts'
import { TransactionLink } from './identity.tsx'
import { ListPanel } from './list-panel.tsx'
import { Side } from './token-transfers.tsx'

type TransferList = Extract<ListPath, '/flow/nft/transfer' | '/flow/nft/{nft_type}/item/{id}/transfer'>

const columns = [
  { name: 'Transaction' },
  { name: 'Item' },
  { name: 'Kind' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Age', isNumber: true },
]

export interface ItemTransfersProps<Path extends TransferList> {
  readonly list: ListQuery<Path>
  /** Of one item alone, which need not be named in each row. */
  readonly isOfOne?: boolean
}

export function ItemTransfers<Path extends TransferList>({
  list,
  isOfOne = false,
}: ItemTransfersProps<Path>): ReactNode {
  return (
    <ListPanel
      list={list}
      what="transfers"
      columns={isOfOne ? columns.filter(({ name }) => name !== 'Item') : columns}
      whenEmpty="Nothing of this was moved so far."
      renderRow={(transfer: NftTransfer) => (
        <Row key={`${transfer.transaction_hash} ${transfer.event_index} ${transfer.leg}`}>
          <RowName>
            <TransactionLink id={transfer.transaction_hash} height={transfer.block_height} />
          </RowName>
          {!isOfOne && (
            <Cell label="Item">
              {transfer.nft_type === null ? (
                sayName(transfer.name)
              ) : (
                <Link to={paths.item(transfer.nft_type, transfer.nft_id)}>{sayName(transfer.name)}</Link>
              )}
            </Cell>
          )}
          <Cell label="Kind">
            <Badge>{humanize(transfer.transfer_type)}</Badge>
          </Cell>
          <Cell label="From">
            <Side address={transfer.sender} />
          </Cell>
          <Cell label="To">
            <Side address={transfer.receiver} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transfer.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}
