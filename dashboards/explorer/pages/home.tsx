import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode, FocusEvent, PointerEvent } from 'react'
import { Button, Icon } from '../../kit/controls.tsx'
import { formatNumber, formatCount } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { TimePoint } from '../../kit/time-chart.tsx'
import { useApi } from '../api.ts'
import { LiveFeed, blockPace } from '../live-feed.ts'
import type { LiveState, LiveBlock } from '../live-feed.ts'
import { QueryResult } from '../parts/lists.tsx'
import { KeyNumber, KeyNumbers, PageTitle } from '../parts/page.tsx'
import { SentenceText } from '../parts/rows.tsx'
import { TransactionLink } from '../parts/values.tsx'
import { formatDollars } from '../text.ts'
import { describeTokenTransfers } from '../transfer-summary.ts'
import { LiveBlocks, LiveItem, LivePlaceholder, LiveTransactions, maxTransactions } from './home-lists.tsx'

const feed = new LiveFeed()

export function HomePage(): ReactNode {
  const current = useSyncExternalStore(feed.subscribe, feed.snapshot)
  const { pausedBy, toggle, handlers } = usePause()
  const isPaused = pausedBy === 'button'
  const isHeld = pausedBy !== undefined
  const shown = useHeld(current, isHeld)
  return (
    <>
      <PageTitle
        title="The Flow blockchain, live"
        aside={
          <div className="live-control">
            <LiveStatus link={current.link} isPaused={isHeld} />
            <Button isSmall aria-pressed={isPaused} onClick={toggle}>
              <Icon name={isPaused ? 'play' : 'pause'} size={14} />
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
          </div>
        }
      />
      <p className="lead">
        New blocks and transactions appear here as they are indexed. <Hint />
      </p>
      <ChainNumbers blocks={shown.blocks} isHeld={isHeld} />
      <div className="two-columns start">
        <section className="panel live-panel" aria-labelledby="live-transactions" {...handlers}>
          <header>
            <h2 id="live-transactions">Latest transactions</h2>
            <Link to="/transactions">All transactions</Link>
          </header>
          <LatestTransactions isHeld={isHeld} />
        </section>
        <div className="stack">
          <TransactionChart state={shown} isHeld={isHeld} />
          <section className="panel live-panel one-line" aria-labelledby="live-blocks" {...handlers}>
            <header>
              <h2 id="live-blocks">Latest blocks</h2>
              <Link to="/blocks">All blocks</Link>
            </header>
            <LiveBlocks state={shown} />
          </section>
        </div>
      </div>
      <LargeTransfers isHeld={isHeld} />
      <HeightAnnouncer height={isPaused ? undefined : current.blocks[0]?.height} />
    </>
  )
}

function Hint(): ReactNode {
  const { data: status } = useApi('/status')
  return status?.chain_id === 'flow-emulator'
    ? 'Simulated chain: prices are not real.'
    : 'Search by address, ID or name above.'
}

interface LiveStatusProps {
  readonly link: LiveState['link']
  readonly isPaused: boolean
}

const linkTexts = { live: 'Live', broken: 'Reconnecting…', connecting: 'Connecting…' } as const
const linkTones = { live: 'good', broken: 'bad', connecting: '' } as const

function LiveStatus({ link, isPaused }: LiveStatusProps): ReactNode {
  return (
    <span className={`live ${isPaused ? '' : linkTones[link]}`} role="status">
      <i /> {isPaused ? 'Paused' : linkTexts[link]}
    </span>
  )
}

const announceMs = 15_000

function HeightAnnouncer({ height }: { readonly height: number | undefined }): ReactNode {
  const [announced, setAnnounced] = useState<number>()
  useEffect(() => {
    if (height === undefined) return
    const timer = setTimeout(() => setAnnounced(height), announced === undefined ? 0 : announceMs)
    return () => clearTimeout(timer)
    // New blocks must not restart the timer.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [announced, height === undefined])
  return (
    <p className="visually-hidden" aria-live="polite">
      {announced === undefined ? '' : `The chain is at block ${formatNumber(height ?? announced)}.`}
    </p>
  )
}

interface Pause {
  readonly pausedBy: 'button' | 'hover' | undefined
  readonly toggle: () => void
  readonly handlers: {
    readonly onPointerEnter: (event: PointerEvent) => void
    readonly onPointerLeave: () => void
    readonly onFocus: () => void
    readonly onBlur: (event: FocusEvent) => void
  }
}

function usePause(): Pause {
  const [pausedBy, setPausedBy] = useState<Pause['pausedBy']>()
  const pause = (): void => setPausedBy(pausedBy ?? 'hover')
  const resume = (): void => {
    if (pausedBy === 'hover') setPausedBy(undefined)
  }
  return {
    pausedBy,
    toggle: () => setPausedBy(pausedBy === 'button' ? undefined : 'button'),
    handlers: {
      onPointerEnter: ({ pointerType }) => {
        if (pointerType === 'mouse') pause()
      },
      onPointerLeave: resume,
      onFocus: pause,
      onBlur: ({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) resume()
      },
    },
  }
}

/** The value from before it was held, if there was one. */
function useHeld<Value>(value: Value, isHeld: boolean): Value {
  const [held, setHeld] = useState(value)
  if (isHeld && held !== undefined) return held
  if (!Object.is(held, value)) setHeld(value)
  return value
}

/** On a quiet chain most transactions are system transactions. */
const loadedTransactions = 100
const transactionsMs = 2000

function LatestTransactions({ isHeld }: HeldProps): ReactNode {
  const query = useApi('/flow/transaction', { limit: loadedTransactions }, { refetchMs: transactionsMs })
  const shown = useHeld(query.data, isHeld)
  return (
    <QueryResult query={query} what="transactions" rows={maxTransactions}>
      {({ data }) => <LiveTransactions transactions={shown?.data ?? data} />}
    </QueryResult>
  )
}

interface HeldProps {
  readonly isHeld: boolean
}

const maxDays = 60
const maxHours = 48

function TransactionChart({ state, isHeld }: HeldProps & { readonly state: LiveState }): ReactNode {
  const daily = useHeld(useApi('/insights/daily').data, isHeld)
  const hourly = useHeld(useApi('/status/stat/{timescale}/trend', { timescale: 'hourly' }).data, isHeld)
  const days = (daily?.data ?? []).toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-maxDays)
  const hours = (hourly?.data ?? []).toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).slice(-maxHours)
  const isByTime = days.length > 2 || hours.length > 2
  const [label, points]: [string, TimePoint[]] =
    days.length > 2
      ? ['Transactions per day', days.map(({ date, tx_count: count }) => pointOf(date, count))]
      : hours.length > 2
        ? ['Transactions per hour', hours.map(({ timestamp, tx_count: count }) => pointOf(hourOf(timestamp), count))]
        : [
            'Transactions in the latest blocks',
            state.blocks.toReversed().map(({ height, tx_count: count }) => pointOf(`#${height}`, count)),
          ]
  return (
    <section className="panel chart-panel" aria-label={label}>
      {points.length === 0 ? (
        <LivePlaceholder state={state} what="transaction counts" />
      ) : (
        <TimeChart label={label} shape="bars" points={points} height={150} isLastPartial={isByTime} />
      )}
    </section>
  )
}

function pointOf(date: string, count: number): TimePoint {
  return { date, value: count, text: formatCount(count, 'transaction') }
}

function hourOf(timestamp: string): string {
  return `${timestamp.slice(5, 10)} ${timestamp.slice(11, 13)} h`
}

const maxTransfers = 4
const refetchMs = 15_000

function LargeTransfers({ isHeld }: HeldProps): ReactNode {
  const query = useApi('/insights/big-transfers', { limit: maxTransfers }, isHeld ? {} : { refetchMs })
  return (
    <section className="panel" aria-labelledby="large-transfers">
      <header>
        <h2 id="large-transfers">Latest large transfers</h2>
      </header>
      <QueryResult query={query} what="large transfers" rows={maxTransfers}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No large transfers yet">
              Transfers that are large for their token will appear here.
            </EmptyState>
          ) : (
            <ul className="live-list in-two">
              {data.map((transfer) => (
                <LiveItem
                  key={`${transfer.tx_id} ${transfer.event_index} ${transfer.leg}`}
                  title={describeTokenTransfers([transfer]).map(({ summary }, i) => (
                    <SentenceText key={i} sentence={summary} />
                  ))}
                  at={transfer.timestamp}
                >
                  <TransactionLink id={transfer.tx_id} height={transfer.block_height} />
                </LiveItem>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </section>
  )
}

function ChainNumbers({ blocks, isHeld }: HeldProps & { readonly blocks: readonly LiveBlock[] }): ReactNode {
  const status = useHeld(useApi('/status', {}, { refetchMs }).data, isHeld)
  const prices = useHeld(useApi('/status/price', { asset: 'FLOW' }).data, isHeld)
  const epochs = useHeld(useApi('/status/epoch/status').data, isHeld)
  const price = prices?.data[0]
  const epoch = epochs?.data[0]
  // An empty index reports height 0, which is also the height of a block.
  const isEmpty = blocks.length === 0 && status?.total_blocks === 0
  const number = (value: number | null | undefined): string =>
    value === undefined || value === null ? '–' : formatNumber(value)
  return (
    <KeyNumbers>
      <KeyNumber name="Block" note={isEmpty ? 'none indexed yet' : (blockPace(blocks) ?? 'latest indexed')}>
        {isEmpty ? '–' : number(blocks[0]?.height ?? status?.indexed_height)}
      </KeyNumber>
      <KeyNumber name="Transactions" note="by users and the system">
        {number(status?.total_transactions)}
      </KeyNumber>
      <KeyNumber name="Accounts" note="used in transactions">
        {number(status?.total_addresses)}
      </KeyNumber>
      <KeyNumber name="Contracts" note="deployed">
        {number(status?.total_contracts)}
      </KeyNumber>
      <KeyNumber name="Events" note="emitted by contracts">
        {number(status?.total_events)}
      </KeyNumber>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? 'current epoch'}>
        {number(epoch?.epoch)}
      </KeyNumber>
      {price !== undefined && (
        <KeyNumber
          name="FLOW"
          note={
            price.price_change_24h === null
              ? 'price in US dollars'
              : `${price.price_change_24h.toFixed(1)}% in 24 hours`
          }
        >
          {formatDollars(price.price)}
        </KeyNumber>
      )}
    </KeyNumbers>
  )
}
