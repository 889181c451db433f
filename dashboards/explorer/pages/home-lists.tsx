import { useState } from 'react'
import type { ReactNode } from 'react'
import { formatCount } from '../../kit/formats.ts'
import { Loading, EmptyState } from '../../kit/state.tsx'
import { Age } from '../../kit/time.tsx'
import type { TransactionSummary } from '../answers.gen.ts'
import { useApi } from '../api.ts'
import type { LiveState } from '../live-feed.ts'
import { SentenceText, nameOfTransaction, StatusBadge } from '../parts/rows.tsx'
import { AccountLink, BlockLink, TransactionLink } from '../parts/values.tsx'
import { isUserTransaction, summarizeTransaction } from '../transfer-summary.ts'
import type { Sentence } from '../transfer-summary.ts'

const maxBlocks = 9
const maxTransactions = 10

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

/** System transactions only if there are no others. */
export function LiveTransactions({ state }: { readonly state: LiveState }): ReactNode {
  const summaries = useSummaries()
  const ofUsers = state.transactions.filter(isUserTransaction)
  if (state.transactions.length === 0 || (ofUsers.length === 0 && !state.isCaughtUp)) {
    return <LivePlaceholder state={state} what="transactions" rows={maxTransactions} />
  }
  return (
    <ul className="live-list">
      {(ofUsers.length > 0 ? ofUsers : state.transactions).slice(0, maxTransactions).map((transaction) => (
        <LiveItem
          key={transaction.id}
          title={
            <>
              {nameOfTransaction(transaction)}{' '}
              {transaction.execution_status !== 'SUCCESS' && <StatusBadge status={transaction.execution_status} />}
            </>
          }
          at={transaction.timestamp}
        >
          <LiveSummary transaction={transaction} sentence={summaries.get(transaction.id)} /> ·{' '}
          <TransactionLink id={transaction.id} height={transaction.block_height} />
        </LiveItem>
      ))}
    </ul>
  )
}

interface LiveSummaryProps {
  readonly transaction: TransactionSummary
  readonly sentence: Sentence | undefined
}

function LiveSummary({ transaction, sentence }: LiveSummaryProps): ReactNode {
  if (sentence !== undefined) return <SentenceText sentence={sentence} />
  if (!isUserTransaction(transaction)) return 'System transaction'
  return (
    <>
      by <AccountLink address={transaction.payer_address} />
    </>
  )
}

const refetchMs = 2000
const maxSummaries = 400

type Summaries = ReadonlyMap<string, Sentence>

/**
 * Polled, since summaries are derived shortly after the feed reports a transaction. Earlier ones
 * are retained.
 */
function useSummaries(): Summaries {
  const { data } = useApi('/flow/transaction', { limit: 60 }, { refetchMs })
  const [cache, setCache] = useState<{ readonly of: unknown; readonly summaries: Summaries }>({
    of: undefined,
    summaries: new Map(),
  })
  if (data === undefined || cache.of === data) return cache.summaries
  const fresh = data.data.flatMap((transaction): [string, Sentence][] => {
    const summary = summarizeTransaction(transaction)
    return summary === undefined ? [] : [[transaction.id, summary]]
  })
  const summaries = new Map([...cache.summaries, ...fresh].slice(-maxSummaries))
  setCache({ of: data, summaries })
  return summaries
}

interface LivePlaceholderProps {
  readonly state: LiveState
  readonly what: string
  readonly rows?: number
}

export function LivePlaceholder({ state, what, rows = 0 }: LivePlaceholderProps): ReactNode {
  if (state.link === 'live' && state.isCaughtUp)
    return <EmptyState title={`No ${what} yet`}>They will appear here as soon as they are indexed.</EmptyState>
  return <Loading rows={rows} label={`Loading ${what}…`} />
}
