import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { EvmTransaction } from '../gen/answers.ts'
import type { ListPath, ListQuery } from '../queries.ts'
import { formatUnits, sayName } from '../text.ts'
import { BlockLink, EvmPartyLink, EvmTransactionLink } from './identity.tsx'
import { ListPanel } from './list-panel.tsx'

type EvmList = Extract<ListPath, '/flow/evm/transaction' | '/flow/evm/address/{address}/transactions'>

const columns = [
  { name: 'EVM transaction' },
  { name: 'Method' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Value in FLOW', isNumber: true },
  { name: 'Block' },
  { name: 'Age', isNumber: true },
]

const kinds = {
  coin_transfer: 'Transfer',
  contract_call: 'Call',
  contract_creation: 'New contract',
  token_transfer: 'Token transfer',
} as const

/** What an EVM transaction did, in a word or two. */
export function nameOfEvmTransaction({ decoded_input: call, tx_types: types, method }: EvmTransaction): string {
  if (call !== null) return sayName(call.method_call.split('(', 1)[0] ?? '', 'Call')
  const [type] = types
  return type === undefined ? (method ?? 'Call') : kinds[type]
}

export function EvmTransactionList<Path extends EvmList>({
  list,
  whenEmpty,
}: {
  readonly list: ListQuery<Path>
  readonly whenEmpty: string
}): ReactNode {
  return (
    <ListPanel
      list={list}
      what="EVM transactions"
      columns={columns}
      whenEmpty={whenEmpty}
      renderRow={(transaction: EvmTransaction) => (
        <Row key={transaction.hash}>
          <RowName>
            <EvmTransactionLink hash={transaction.hash} />
          </RowName>
          <Cell label="Method">
            <Badge tone={transaction.status === 'error' ? 'bad' : 'neutral'}>
              {nameOfEvmTransaction(transaction)}
              {transaction.status === 'error' && ', failed'}
            </Badge>
          </Cell>
          <Cell label="From">
            <EvmPartyLink party={transaction.from} />
          </Cell>
          <Cell label="To">
            <EvmPartyLink party={transaction.to ?? transaction.created_contract} />
          </Cell>
          <Cell label="Value in FLOW" className="number">
            {transaction.value === null ? '–' : formatUnits(transaction.value, 18)}
          </Cell>
          <Cell label="Block">
            <BlockLink height={transaction.block_height} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transaction.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}
