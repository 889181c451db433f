import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Icon } from '../../kit/icon.tsx'
import { Link } from '../../kit/link.tsx'
import { LiveFeed } from '../live-feed.ts'
import type { LiveState } from '../live-feed.ts'
import { BigTransfers } from '../parts/home/big-transfers.tsx'
import { ChainNumbers } from '../parts/home/chain-numbers.tsx'
import { LiveBlocks, LiveTransactions } from '../parts/home/live-lists.tsx'
import { TransactionChart } from '../parts/home/transaction-chart.tsx'
import { useHeld } from '../parts/home/use-held.ts'
import type { Held } from '../parts/home/use-held.ts'
import { PageTitle } from '../parts/page-title.tsx'
import { useAnswer } from '../queries.ts'

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
