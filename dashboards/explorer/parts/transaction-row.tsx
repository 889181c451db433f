import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { Transaction, TransactionSummary } from '../gen/answers.ts'
import { humanize, sayName } from '../text.ts'
import { isOfPeople, tellSummary } from '../told-summary.ts'
import { AccountLink, BlockLink, TransactionLink } from './identity.tsx'
import type { Column } from './list-panel.tsx'
import { ToldSentence } from './told.tsx'

/** What a transaction did, in a few words. */
export function nameOfTransaction({
  template_label: label,
  template_category: category,
  tags,
  is_evm: isEvm,
}: Pick<TransactionSummary, 'template_label' | 'template_category' | 'tags' | 'is_evm'>): string {
  if (label !== '') return sayName(label)
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
  { name: 'What happened' },
  { name: 'Paid by' },
  { name: 'Block' },
  { name: 'Age', isNumber: true },
]

export function TransactionRow({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const { id, execution_status: status, payer, block_height: height, timestamp } = transaction
  const moved = tellSummary(transaction)
  return (
    <Row>
      <RowName>
        <TransactionLink id={id} height={height} />
      </RowName>
      <Cell label="What happened" className="first-when-narrow">
        <span>
          <span className="what">
            {nameOfTransaction(transaction)} {status !== 'SUCCESS' && <StatusBadge status={status} />}
          </span>
          {moved !== undefined && (
            <span className="note">
              <ToldSentence sentence={moved} />
            </span>
          )}
          {!isOfPeople(transaction) && <span className="note">The chain does this by itself.</span>}
        </span>
      </Cell>
      <Cell label="Paid by">
        <AccountLink address={payer} />
      </Cell>
      <Cell label="Block" className="wide-only">
        <BlockLink height={height} />
      </Cell>
      <Cell label="Age" className="number">
        <Age since={timestamp} />
      </Cell>
    </Row>
  )
}
