import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { EvmTokenTransfer } from '../gen/answers.ts'
import { Link } from '../../kit/link.tsx'
import { paths } from '../paths.ts'
import type { ListPath, ListQuery } from '../queries.ts'
import { formatAmount, formatEvmAmount, sayName, shorten } from '../text.ts'
import { EvmPartyLink, EvmTransactionLink } from './identity.tsx'
import { ListPanel } from './list-panel.tsx'

type TransferList = Extract<
  ListPath,
  '/flow/evm/address/{address}/token-transfers' | '/flow/evm/token/{address}/token-transfers'
>

const columns = [
  { name: 'EVM transaction' },
  { name: 'What' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Age', isNumber: true },
]

/** `1.5 USDF`, `PaperBoats #7`. */
export function movedOf({ token, total }: EvmTokenTransfer): string {
  const name = sayName(token.symbol ?? token.name ?? shorten(token.address))
  if (total.token_id === null) return formatEvmAmount(total.value, { type: token.type, decimals: total.decimals }, name)
  return `${total.value === '1' ? '' : `${formatAmount(total.value)} × `}${name} #${total.token_id}`
}

export function EvmTransfers<Path extends TransferList>({ list }: { readonly list: ListQuery<Path> }): ReactNode {
  return (
    <ListPanel
      list={list}
      what="token transfers"
      columns={columns}
      whenEmpty="No token of the EVM was moved here."
      renderRow={(transfer: EvmTokenTransfer) => (
        <Row key={`${transfer.transaction_hash} ${transfer.log_index} ${transfer.batch_index}`}>
          <RowName>
            <EvmTransactionLink hash={transfer.transaction_hash} />
          </RowName>
          <Cell label="What">
            <Link to={paths.evmToken(transfer.token.address)}>{movedOf(transfer)}</Link>
          </Cell>
          <Cell label="From">
            <EvmPartyLink party={transfer.from} />
          </Cell>
          <Cell label="To">
            <EvmPartyLink party={transfer.to} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transfer.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}
