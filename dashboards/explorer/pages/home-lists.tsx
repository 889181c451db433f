import type { ReactNode } from 'react'
import { formatCount } from '../../kit/formats.ts'
import { Loading, EmptyState } from '../../kit/state.tsx'
import { Age } from '../../kit/time.tsx'
import type { Transaction } from '../answers.gen.ts'
import type { LiveState } from '../live-feed.ts'
import { SentenceText, nameOfTransaction, StatusBadge } from '../parts/rows.tsx'
import { AccountLink, BlockLink, TransactionLink } from '../parts/values.tsx'
import { isUserTransaction, summarizeTransaction } from '../transfer-summary.ts'

const maxBlocks = 9
export const maxTransactions = 10

export function LiveBlocks({ state }: { readonly state: LiveState }): ReactNode {
  if (state.blocks.length === 0) return <LivePlaceholder state={state} what="blocks" rows={maxBlocks} />
  return (
    <ul className="live-list one-line">
      {state.blocks.slice(0, maxBlocks).map(({ height, timestamp, tx_count: transactions, event_count: events }) => (
        <LiveItem key={height} title={<BlockLink height={height} />} at={timestamp}>
          {formatCount(transactions, 'transaction')}, {formatCount(events, 'event')}
        </LiveItem>
      ))}
    </ul>
  )
}

interface LiveItemProps {
  readonly title: ReactNode
  readonly at: string
  readonly children: ReactNode
}

export function LiveItem({ title, at, children }: LiveItemProps): ReactNode {
  return (
    <li>
      <span className="main">{title}</span>
      <span className="soft">{children}</span>
      <span className="age soft">
        <Age since={at} />
      </span>
    </li>
  )
}

/**
 * Transactions appear once their transfers are derived, so that their sentence is complete. System
 * transactions only if there are no others.
 */
export function LiveTransactions({ transactions }: { readonly transactions: readonly Transaction[] }): ReactNode {
  if (transactions.length === 0) return <NothingYet what="transactions" />
  return (
    <ul className="live-list">
      {shownTransactions(transactions).map((transaction) => (
        <LiveItem
          key={`${transaction.block_height} ${transaction.id}`}
          title={
            <>
              {nameOfTransaction(transaction)}{' '}
              {transaction.execution_status !== 'SUCCESS' && <StatusBadge status={transaction.execution_status} />}
            </>
          }
          at={transaction.timestamp}
        >
          <LiveSummary transaction={transaction} /> ·{' '}
          <TransactionLink id={transaction.id} height={transaction.block_height} />
        </LiveItem>
      ))}
    </ul>
  )
}

function shownTransactions(transactions: readonly Transaction[]): readonly Transaction[] {
  const derived = transactions.filter(({ transfer_summary: summary }) => summary !== null)
  const ready = derived.length > 0 ? derived : transactions
  const ofUsers = ready.filter(isUserTransaction)
  return (ofUsers.length > 0 ? ofUsers : ready).slice(0, maxTransactions)
}

function LiveSummary({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const sentence = summarizeTransaction(transaction)
  if (sentence !== undefined) return <SentenceText sentence={sentence} />
  if (!isUserTransaction(transaction)) return 'System transaction'
  return (
    <>
      by <AccountLink address={transaction.payer} />
    </>
  )
}

interface LivePlaceholderProps {
  readonly state: LiveState
  readonly what: string
  readonly rows?: number
}

export function LivePlaceholder({ state, what, rows = 0 }: LivePlaceholderProps): ReactNode {
  if (state.link === 'live' && state.isCaughtUp) return <NothingYet what={what} />
  return <Loading rows={rows} label={`Loading ${what}…`} />
}

function NothingYet({ what }: { readonly what: string }): ReactNode {
  return <EmptyState title={`No ${what} yet`}>They will appear here as soon as they are indexed.</EmptyState>
}
