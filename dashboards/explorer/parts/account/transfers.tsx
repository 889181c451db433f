import type { ReactNode } from 'react'
import { Age } from '../../../kit/age.tsx'
import { Badge } from '../../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { Link } from '../../../kit/link.tsx'
import { paths } from '../../paths.ts'
import { useList } from '../../queries.ts'
import { formatAmount, humanize, sayName, symbolOf } from '../../text.ts'
import { AccountLink, TransactionLink } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'

const columns = [
  { name: 'Transaction' },
  { name: 'Kind' },
  { name: 'What' },
  { name: 'With' },
  { name: 'Age', isNumber: true },
]

/** What came to an account and what left it, tokens and NFTs. */
export function AccountTransfers({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/account/{address}/transfer', { address, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="transfers"
      columns={columns}
      whenEmpty="Nothing came to this account and nothing left it."
      renderRow={(transfer) => {
        const isIn = transfer.direction === 'deposit'
        const other = isIn ? transfer.sender : transfer.receiver
        return (
          <Row key={`${transfer.transaction_hash} ${transfer.event_index} ${transfer.leg} ${transfer.direction}`}>
            <RowName>
              <TransactionLink id={transfer.transaction_hash} height={transfer.block_height} />
            </RowName>
            <Cell label="Kind">
              <Badge tone={isIn ? 'good' : 'neutral'}>{isIn ? 'In' : 'Out'}</Badge>{' '}
              {transfer.transfer_type !== 'transfer' && (
                <span className="soft">{humanize(transfer.transfer_type)}</span>
              )}
            </Cell>
            <Cell label="What">
              {transfer.type === 'ft' ? (
                <Link to={paths.token(transfer.token.token)}>
                  {formatAmount(transfer.amount)} {symbolOf(transfer.token.token, transfer.token.symbol)}
                </Link>
              ) : transfer.nft_type === null ? (
                sayName(transfer.name)
              ) : (
                <Link to={paths.item(transfer.nft_type, transfer.nft_id)}>{sayName(transfer.name)}</Link>
              )}
            </Cell>
            <Cell label="With">
              {other === null ? <span className="soft">–</span> : <AccountLink address={other} />}
            </Cell>
            <Cell label="Age" className="number">
              <Age since={transfer.timestamp} />
            </Cell>
          </Row>
        )
      }}
    />
  )
}
