import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Button } from '../../kit/button.tsx'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { Icon } from '../../kit/icon.tsx'
import { Loading, NothingHere } from '../../kit/state.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import { Link } from '../link.tsx'
import { LiveFeed } from '../live-feed.ts'
import type { LiveState } from '../live-feed.ts'
import { KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, TransactionLink } from '../parts/identity.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { nameOfTransaction, StatusBadge } from '../parts/transaction-row.tsx'
import { useAnswer } from '../queries.ts'
import { formatDollars } from '../text.ts'

const feed = new LiveFeed()

/** The start: what the chain does at this moment. */
export function HomePage(): ReactNode {
  const now = useSyncExternalStore(feed.subscribe, feed.snapshot)
  const [held, setHeld] = useState<LiveState>()
  const state = held ?? now
  return (
    <>
      <PageTitle
        title="The Flow blockchain, live"
        aside={
          <div className="live-control">
            <LiveSign link={now.link} isPaused={held !== undefined} />
            <Button isSmall aria-pressed={held !== undefined} onClick={() => setHeld(held === undefined ? now : undefined)}>
              <Icon name={held === undefined ? 'pause' : 'play'} size={14} />
              {held === undefined ? 'Pause' : 'Go on'}
            </Button>
          </div>
        }
      />
      <ChainNumbers height={now.blocks[0]?.height} />
      <div className="two-columns">
        <section className="panel" aria-labelledby="live-blocks">
          <header>
            <h2 id="live-blocks">Latest blocks</h2>
            <Link to="/blocks">All blocks</Link>
          </header>
          <LiveBlocks state={state} />
        </section>
        <section className="panel" aria-labelledby="live-transactions">
          <header>
            <h2 id="live-transactions">Latest transactions</h2>
            <Link to="/transactions">All transactions</Link>
          </header>
          <LiveTransactions state={state} />
        </section>
      </div>
      <Announcer height={held === undefined ? now.blocks[0]?.height : undefined} />
      <DailyTransactions />
    </>
  )
}

function LiveSign({ link, isPaused }: { readonly link: LiveState['link']; readonly isPaused: boolean }): ReactNode {
  const tone = isPaused ? '' : link === 'live' ? 'good' : link === 'broken' ? 'bad' : ''
  const text = isPaused ? 'Paused' : { live: 'Live', broken: 'Connecting again…', connecting: 'Connecting…' }[link]
  return (
    <span className={`live ${tone}`} role="status">
      <i /> {text}
    </span>
  )
}

function ChainNumbers({ height }: { readonly height: number | undefined }): ReactNode {
  const { data: status } = useAnswer('/status', {}, { everyMs: 15_000 })
  const { data: prices } = useAnswer('/status/price', { asset: 'FLOW' })
  const { data: epochs } = useAnswer('/status/epoch/status')
  const price = prices?.data[0]
  const epoch = epochs?.data[0]
  return (
    <KeyNumbers>
      <KeyNumber name="Block" note={status?.chain_id}>
        {height === undefined ? '–' : formatNumber(height)}
      </KeyNumber>
      <KeyNumber name="Transactions" note="all that are indexed">
        {status === undefined ? '–' : formatNumber(status.total_transactions)}
      </KeyNumber>
      <KeyNumber name="Accounts">
        {status === undefined ? '–' : formatNumber(status.total_addresses)}
      </KeyNumber>
      <KeyNumber name="Events">{status === undefined ? '–' : formatNumber(status.total_events)}</KeyNumber>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? undefined}>
        {epoch?.epoch === undefined || epoch.epoch === null ? '–' : formatNumber(epoch.epoch)}
      </KeyNumber>
      {price !== undefined && (
        <KeyNumber name="FLOW" note={price.price_change_24h === null ? undefined : `${price.price_change_24h.toFixed(1)}% in a day`}>
          {formatDollars(price.price)}
        </KeyNumber>
      )}
    </KeyNumbers>
  )
}

function LiveBlocks({ state }: { readonly state: LiveState }): ReactNode {
  if (state.blocks.length === 0) return <Waiting state={state} what="blocks" />
  return (
    <ul className="live-list">
      {state.blocks.map(({ height, timestamp, tx_count: transactions, event_count: events }) => (
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

function LiveTransactions({ state }: { readonly state: LiveState }): ReactNode {
  if (state.transactions.length === 0) return <Waiting state={state} what="transactions" />
  return (
    <ul className="live-list">
      {state.transactions.map((transaction) => (
        <li key={transaction.id}>
          <span className="main">
            {nameOfTransaction(transaction)}{' '}
            {transaction.execution_status !== 'SUCCESS' && <StatusBadge status={transaction.execution_status} />}
          </span>
          <span className="soft">
            <TransactionLink id={transaction.id} /> by <AccountLink address={transaction.payer_address} />
          </span>
          <span className="age soft">
            <Age since={transaction.timestamp} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Waiting({ state, what }: { readonly state: LiveState; readonly what: string }): ReactNode {
  if (state.link === 'live') {
    return <NothingHere title={`No ${what} so far`}>They show up here by themselves as soon as they are indexed.</NothingHere>
  }
  return <Loading rows={6} label={`Loading ${what}`} />
}

const sayEveryMs = 15_000

/** Says now and then how far the chain is: each block would be too much to listen to. */
function Announcer({ height }: { readonly height: number | undefined }): ReactNode {
  const [said, setSaid] = useState<number>()
  useEffect(() => {
    if (height === undefined) return
    const timer = setTimeout(() => setSaid(height), said === undefined ? 0 : sayEveryMs)
    return () => clearTimeout(timer)
    // The timer of the first block goes on while others come.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [said, height === undefined])
  return (
    <p className="visually-hidden" aria-live="polite">
      {said === undefined ? '' : `The chain is at block ${formatNumber(height ?? said)}.`}
    </p>
  )
}

function DailyTransactions(): ReactNode {
  const { data } = useAnswer('/insights/daily')
  const days = (data?.data ?? []).toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-60)
  if (days.length < 2) return null
  return (
    <section className="panel chart-panel">
      <TimeChart
        label="Transactions a day"
        shape="bars"
        points={days.map(({ date, tx_count: count }) => ({ date, value: count, text: formatNumber(count) }))}
      />
    </section>
  )
}
