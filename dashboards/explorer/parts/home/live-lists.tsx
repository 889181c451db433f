import type { ReactNode } from 'react'
import { Age } from '../../../kit/age.tsx'
import { formatCount } from '../../../kit/formats.ts'
import type { LiveState } from '../../live-feed.ts'
import { useAnswer } from '../../queries.ts'
import { tellSummary } from '../../told-summary.ts'
import { AccountLink, BlockLink, TransactionLink } from '../identity.tsx'
import { ToldSentence } from '../told.tsx'
import { nameOfTransaction, StatusBadge } from '../transaction-row.tsx'
import { Waiting } from './waiting.tsx'

const shown = 8

export function LiveBlocks({ state }: { readonly state: LiveState }): ReactNode {
  if (state.blocks.length === 0) return <Waiting state={state} what="blocks" />
  return (
    <ul className="live-list">
      {state.blocks.slice(0, shown).map(({ height, timestamp, tx_count: transactions, event_count: events }) => (
        <li key={height}>
          <span className="main">
            <BlockLink height={height} />
          </span>
          <span className="soft">
            {formatCount(transactions, 'transaction')}, {formatCount(events, 'event')}
          </span>
          <span className="age soft">
            <Age since={timestamp} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/**
 * The newest transactions of people; those that the chain makes by itself only where there are no others. What they
 * moved is derived a moment after the transaction is told of, so it is asked for.
 */
export function LiveTransactions({ state }: { readonly state: LiveState }): ReactNode {
  const { data: derived } = useAnswer('/flow/transaction', { limit: 40 }, { everyMs: 4000 })
  if (state.transactions.length === 0) return <Waiting state={state} what="transactions" />
  const moved = new Map(derived?.data.map((transaction) => [transaction.id, tellSummary(transaction)]))
  const ofPeople = state.transactions.filter(({ template_category: category }) => category !== 'SYSTEM')
  return (
    <ul className="live-list">
      {(ofPeople.length > 0 ? ofPeople : state.transactions).slice(0, shown).map((transaction) => {
        const sentence = moved.get(transaction.id)
        return (
          <li key={transaction.id}>
            <span className="main">
              {nameOfTransaction(transaction)}{' '}
              {transaction.execution_status !== 'SUCCESS' && <StatusBadge status={transaction.execution_status} />}
            </span>
            <span className="soft">
              {sentence === undefined ? (
                <>
                  by <AccountLink address={transaction.payer_address} />
                </>
              ) : (
                <ToldSentence sentence={sentence} />
              )}{' '}
              · <TransactionLink id={transaction.id} />
            </span>
            <span className="age soft">
              <Age since={transaction.timestamp} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
