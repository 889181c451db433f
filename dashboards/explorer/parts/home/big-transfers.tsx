import type { ReactNode } from 'react'
import { Age } from '../../../kit/age.tsx'
import { NothingHere } from '../../../kit/state.tsx'
import { useAnswer } from '../../queries.ts'
import { formatDollars } from '../../text.ts'
import { tellTokens } from '../../told-moves.ts'
import { Answer } from '../answer.tsx'
import { TransactionLink } from '../identity.tsx'
import { ToldSentence } from '../told.tsx'

const shown = 4

/** The latest transfers that were large for their token. */
export function BigTransfers(): ReactNode {
  const query = useAnswer('/insights/big-transfers', { limit: shown }, { everyMs: 15_000 })
  return (
    <section className="panel" aria-labelledby="big-transfers">
      <header>
        <h2 id="big-transfers">Latest big transfers</h2>
      </header>
      <Answer query={query} what="big transfers" rows={shown}>
        {({ data }) =>
          data.length === 0 ? (
            <NothingHere title="No big transfers so far">
              Transfers that are large for their token show up here.
            </NothingHere>
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
