import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { Transaction, TransactionSummary } from '../gen/answers.ts'
import { contractNameOf, formatAmount, humanize, symbolOf } from '../text.ts'
import { AccountLink, BlockLink, TransactionLink } from './identity.tsx'
import type { Column } from './list-panel.tsx'

/** What a transaction did, in a few words. */
export function nameOfTransaction({
  template_label: label,
  template_category: category,
  tags,
  is_evm: isEvm,
}: Pick<TransactionSummary, 'template_label' | 'template_category' | 'tags' | 'is_evm'>): string {
  if (label !== '') return label
  const [tag] = tags
  if (tag !== undefined) return humanize(tag)
  if (category !== '') return humanize(category)
  return isEvm ? 'EVM transaction' : 'Transaction'
}

export function StatusBadge({ status }: { readonly status: TransactionSummary['execution_status'] }): ReactNode {
  if (status === 'SUCCESS') return <Badge tone="good">Success</Badge>
  if (status === 'FAILURE') return <Badge tone="bad">Failed</Badge>
  return <Badge>Unknown</Badge>
}

export const transactionColumns: readonly Column[] = [
  { name: 'Transaction' },
  { name: 'What it did' },
  { name: 'Moved' },
  { name: 'Paid by' },
  { name: 'Block' },
  { name: 'Age', isNumber: true },
]

export function TransactionRow({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const { id, execution_status: status, payer, block_height: height, timestamp } = transaction
  return (
    <Row>
      <RowName>
        <TransactionLink id={id} />
      </RowName>
      <Cell label="What it did">
        <span className="what">
          {nameOfTransaction(transaction)} {status !== 'SUCCESS' && <StatusBadge status={status} />}
        </span>
      </Cell>
      <Cell label="Moved">
        <Moved summary={transaction.transfer_summary} />
      </Cell>
      <Cell label="Paid by">
        <AccountLink address={payer} />
      </Cell>
      <Cell label="Block">
        <BlockLink height={height} />
      </Cell>
      <Cell label="Age" className="number">
        <Age since={timestamp} />
      </Cell>
    </Row>
  )
}

function Moved({ summary }: { readonly summary: Transaction['transfer_summary'] }): ReactNode {
  const tokens = (summary?.ft ?? []).map(
    ({ amount, symbol, token }) => `${formatAmount(amount)} ${symbolOf(token, symbol)}`,
  )
  const items = (summary?.nft ?? []).map(
    ({ count, name, collection }) => `${count} ${name ?? contractNameOf(collection ?? 'NFT')}`,
  )
  const all = [...tokens, ...items]
  if (all.length === 0) return <span className="soft">–</span>
  return (
    <span title={all.join('\n')}>
      {all.slice(0, 2).join(', ')}
      {all.length > 2 && <span className="soft"> and {all.length - 2} more</span>}
    </span>
  )
}
