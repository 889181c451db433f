import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode, FocusEvent, PointerEvent } from 'react'
import { Age } from '../../kit/time.tsx'
import { Button, Icon } from '../../kit/controls.tsx'
import { formatNumber, formatCount } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { TimePoint } from '../../kit/time-chart.tsx'
import { LiveFeed, blockPace } from '../live-feed.ts'
import type { LiveState, LiveBlock } from '../live-feed.ts'
import { Answer } from '../parts/lists.tsx'
import { KeyNumber, KeyNumbers, PageTitle } from '../parts/page.tsx'
import { LiveBlocks, LiveTransactions, Waiting } from './home-lists.tsx'
import { TransactionLink } from '../parts/values.tsx'
import { ToldSentence } from '../parts/rows.tsx'
import { useAnswer } from '../api.ts'
import { formatDollars } from '../text.ts'
import { tellTokens } from '../transfer-summary.ts'

const feed = new LiveFeed()

/** The start: what the chain does at this moment. */
export function HomePage(): ReactNode {
  const now = useSyncExternalStore(feed.subscribe, feed.snapshot)
  const { shown, by, toggle, handlers } = useHeld(now)
  const isPaused = by === 'button'
  return (
    <>
      <PageTitle
        title="The Flow blockchain, live"
        aside={
          <div className="live-control">
            <LiveSign link={now.link} heldBy={by} />
            <Button isSmall aria-pressed={isPaused} onClick={toggle}>
              <Icon name={isPaused ? 'play' : 'pause'} size={14} />
              {isPaused ? 'Go on' : 'Pause'}
            </Button>
          </div>
        }
      />
      <p className="lead">
        Every few moments the chain seals a block of transactions. Here they are as they come: who moved what, what it
        cost, and what it did. <Hint />
      </p>
      <ChainNumbers blocks={now.blocks} />
      <div className="two-columns start">
        <section className="panel live-panel" aria-labelledby="live-transactions" {...handlers}>
          <header>
            <h2 id="live-transactions">Latest transactions</h2>
            <Link to="/transactions">All transactions</Link>
          </header>
          <LiveTransactions state={shown} />
        </section>
        <div className="stack">
          <TransactionChart state={shown} />
          <section className="panel live-panel one-line" aria-labelledby="live-blocks" {...handlers}>
            <header>
              <h2 id="live-blocks">Latest blocks</h2>
              <Link to="/blocks">All blocks</Link>
            </header>
            <LiveBlocks state={shown} />
          </section>
        </div>
      </div>
      <BigTransfers />
      <Announcer height={isPaused ? undefined : now.blocks[0]?.height} />
    </>
  )
}

/** What else is to be known first, in as many words either way: nobody is to take the demo's prices for real ones. */
function Hint(): ReactNode {
  const { data: status } = useAnswer('/status')
  return status?.chain_id === 'flow-emulator'
    ? 'This chain is simulated: its people and its prices are made up.'
    : 'Look up anything by its address, id or name above.'
}

interface LiveSignProps {
  readonly link: LiveState['link']
  readonly heldBy: Held<unknown>['by']
}

const linkTexts = { live: 'Live', broken: 'Connecting again…', connecting: 'Connecting…' } as const

function LiveSign({ link, heldBy }: LiveSignProps): ReactNode {
  const tone = heldBy !== undefined ? '' : link === 'live' ? 'good' : link === 'broken' ? 'bad' : ''
  const text = heldBy === 'button' ? 'Paused' : heldBy === 'pointing' ? 'Held while you look' : linkTexts[link]
  return (
    <span className={`live ${tone}`} role="status">
      <i /> {text}
    </span>
  )
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

/** What goes on by itself, and how to have it stand still. */
interface Held<Value> {
  /** What it was when it began to stand still; what it is now while it goes on. */
  readonly shown: Value
  /** Why it stands still: it was asked to, or somebody is about to take something of it. */
  readonly by: 'button' | 'pointing' | undefined
  readonly toggle: () => void
  /** For the part of the page that moves: nothing gets away from under a mouse or from the keyboard. */
  readonly handlers: {
    readonly onPointerEnter: (event: PointerEvent) => void
    readonly onPointerLeave: () => void
    readonly onFocus: () => void
    readonly onBlur: (event: FocusEvent) => void
  }
}

function useHeld<Value>(now: Value): Held<Value> {
  const [held, setHeld] = useState<{ readonly value: Value; readonly by: 'button' | 'pointing' }>()
  const point = (): void => setHeld(held ?? { value: now, by: 'pointing' })
  const letGo = (): void => {
    if (held?.by === 'pointing') setHeld(undefined)
  }
  return {
    shown: held === undefined ? now : held.value,
    by: held?.by,
    toggle: () => setHeld(held?.by === 'button' ? undefined : { value: held?.value ?? now, by: 'button' }),
    handlers: {
      onPointerEnter: ({ pointerType }) => {
        if (pointerType === 'mouse') point()
      },
      onPointerLeave: letGo,
      onFocus: point,
      onBlur: ({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) letGo()
      },
    },
  }
}

const days = 60
const hours = 48

/** How much the chain does: by the day; by the hour or by the block while there are not enough days yet. */
function TransactionChart({ state }: { readonly state: LiveState }): ReactNode {
  const { data: daily } = useAnswer('/insights/daily')
  const { data: hourly } = useAnswer('/status/stat/{timescale}/trend', { timescale: 'hourly' })
  const byDay = (daily?.data ?? []).toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-days)
  const byHour = (hourly?.data ?? []).toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).slice(-hours)
  const [label, points]: [string, TimePoint[]] =
    byDay.length > 2
      ? ['Transactions a day', byDay.map(({ date, tx_count: count }) => point(date, count))]
      : byHour.length > 2
        ? ['Transactions an hour', byHour.map(({ timestamp, tx_count: count }) => point(hourOf(timestamp), count))]
        : [
            'Transactions in each of the latest blocks',
            state.blocks.toReversed().map(({ height, tx_count: count }) => point(`#${height}`, count)),
          ]
  return (
    <section className="panel chart-panel" aria-label={label}>
      {points.length === 0 ? (
        <Waiting state={state} what="transactions to count" />
      ) : (
        <TimeChart label={label} shape="bars" points={points} height={150} />
      )}
    </section>
  )
}

function point(date: string, count: number): TimePoint {
  return { date, value: count, text: formatCount(count, 'transaction') }
}

/** `2026-03-14T09:00:00.000Z` → `03-14 09 h`. */
function hourOf(timestamp: string): string {
  return `${timestamp.slice(5, 10)} ${timestamp.slice(11, 13)} h`
}

const shown = 4

/** The latest transfers that were large for their token. */
function BigTransfers(): ReactNode {
  const query = useAnswer('/insights/big-transfers', { limit: shown }, { everyMs: 15_000 })
  return (
    <section className="panel" aria-labelledby="big-transfers">
      <header>
        <h2 id="big-transfers">Latest big transfers</h2>
      </header>
      <Answer query={query} what="big transfers" rows={shown}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No big transfers so far">
              Transfers that are large for their token show up here.
            </EmptyState>
          ) : (
            <ul className="live-list in-two">
              {data.map((transfer) => (
                <li key={`${transfer.tx_id} ${transfer.event_index} ${transfer.leg}`}>
                  <span className="main">
                    {tellTokens([transfer]).map(({ said }, i) => (
                      <ToldSentence key={i} sentence={said} />
                    ))}
                  </span>
                  <span className="soft">
                    {transfer.usd_value !== null && `${formatDollars(transfer.usd_value)} · `}
                    <TransactionLink id={transfer.tx_id} height={transfer.block_height} />
                  </span>
                  <span className="age soft">
                    <Age since={transfer.timestamp} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </section>
  )
}

/** The key figures of the chain. */
function ChainNumbers({ blocks }: { readonly blocks: readonly LiveBlock[] }): ReactNode {
  const { data: status } = useAnswer('/status', {}, { everyMs: 15_000 })
  const { data: prices } = useAnswer('/status/price', { asset: 'FLOW' })
  const { data: epochs } = useAnswer('/status/epoch/status')
  const price = prices?.data[0]
  const epoch = epochs?.data[0]
  // An empty index reports height 0, which is a block of its own.
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
