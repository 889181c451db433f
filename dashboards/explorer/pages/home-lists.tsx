import { useState } from 'react'
import type { ReactNode } from 'react'
import { Age } from '../../kit/time.tsx'
import { formatCount } from '../../kit/formats.ts'
import type { TransactionSummary } from '../answers.gen.ts'
import type { LiveState } from '../live-feed.ts'
import { useAnswer } from '../api.ts'
import type { Sentence } from '../transfer-summary.ts'
import { isUserTransaction, tellSummary } from '../transfer-summary.ts'
import { AccountLink, BlockLink, TransactionLink } from '../parts/values.tsx'
import { ToldSentence, nameOfTransaction, StatusBadge } from '../parts/rows.tsx'
import { Loading, EmptyState } from '../../kit/state.tsx'

const shownBlocks = 9
const shownTransactions = 10

export function LiveBlocks({ state }: { readonly state: LiveState }): ReactNode {
  if (state.blocks.length === 0) return <Waiting state={state} what="blocks" rows={shownBlocks} />
  return (
    <ul className="live-list one-line">
      {state.blocks.slice(0, shownBlocks).map(({ height, timestamp, tx_count: transactions, event_count: events }) => (
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

/** The newest transactions of people; those that the chain makes by itself only where there are no others. */
export function LiveTransactions({ state }: { readonly state: LiveState }): ReactNode {
  const told = useTold()
  const ofPeople = state.transactions.filter(isUserTransaction)
  // What the feed tells first may be the chain's own alone: what people did before is on its way.
  if (state.transactions.length === 0 || (ofPeople.length === 0 && !state.isCaughtUp)) {
    return <Waiting state={state} what="transactions" rows={shownTransactions} />
  }
  return (
    <ul className="live-list">
      {(ofPeople.length > 0 ? ofPeople : state.transactions).slice(0, shownTransactions).map((transaction) => (
        <li key={transaction.id}>
          <span className="main">
            {nameOfTransaction(transaction)}{' '}
            {transaction.execution_status !== 'SUCCESS' && <StatusBadge status={transaction.execution_status} />}
          </span>
          <span className="soft">
            <LiveSentence transaction={transaction} sentence={told.get(transaction.id)} /> ·{' '}
            <TransactionLink id={transaction.id} height={transaction.block_height} />
          </span>
          <span className="age soft">
            <Age since={transaction.timestamp} />
          </span>
        </li>
      ))}
    </ul>
  )
}

interface LiveSentenceProps {
  readonly transaction: TransactionSummary
  readonly sentence: Sentence | undefined
}

function LiveSentence({ transaction, sentence }: LiveSentenceProps): ReactNode {
  if (sentence !== undefined) return <ToldSentence sentence={sentence} />
  if (!isUserTransaction(transaction)) return 'by the chain itself'
  return (
    <>
      by <AccountLink address={transaction.payer_address} />
    </>
  )
}

const everyMs = 2000
const asked = 60
const kept = 400

type Told = ReadonlyMap<string, Sentence>

/**
 * What the latest transactions moved, by their ids. It is derived a moment after a transaction is told of, so it is
 * asked for; what was told once stays, so that a row does not lose its sentence when others come.
 */
function useTold(): Told {
  const { data } = useAnswer('/flow/transaction', { limit: asked }, { everyMs })
  const [told, setTold] = useState<{ readonly of: unknown; readonly sentences: Told }>({
    of: undefined,
    sentences: new Map(),
  })
  if (data === undefined || told.of === data) return told.sentences
  const fresh = data.data.flatMap((transaction): [string, Sentence][] => {
    const sentence = tellSummary(transaction)
    return sentence === undefined ? [] : [[transaction.id, sentence]]
  })
  const sentences = new Map([...told.sentences, ...fresh].slice(-kept))
  setTold({ of: data, sentences })
  return sentences
}

interface WaitingProps {
  readonly state: LiveState
  readonly what: string
  /** How many will be there, so that nothing moves when they come. */
  readonly rows?: number
}

/** In place of what the live feed has not told yet. */
export function Waiting({ state, what, rows = 0 }: WaitingProps): ReactNode {
  if (state.link === 'live' && state.isCaughtUp) {
    return (
      <EmptyState title={`No ${what} so far`}>They show up here by themselves as soon as they are indexed.</EmptyState>
    )
  }
  return <Loading rows={rows} label={`Loading ${what}`} />
}
