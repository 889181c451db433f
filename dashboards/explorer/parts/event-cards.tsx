import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { formatCount } from '../../kit/formats.ts'
import { NothingHere } from '../../kit/state.tsx'
import type { Event } from '../gen/answers.ts'
import { contractOf } from '../text.ts'
import { ContractLink } from './identity.tsx'
import { ValueTree } from './value-tree.tsx'

const shownAtFirst = 30

/** The events of a transaction, in order; those that hold a word, where one is looked for. */
export function EventCards({ events }: { readonly events: readonly Event[] }): ReactNode {
  const [text, setText] = useState('')
  const [most, setMost] = useState(shownAtFirst)
  const wanted = text.trim().toLowerCase()
  const fitting =
    wanted === '' ? events : events.filter((event) => JSON.stringify(event).toLowerCase().includes(wanted))
  return (
    <section className="panel" aria-label="Events">
      {events.length > 8 && (
        <header>
          <label className="field grow">
            <span>Show events with</span>
            <input className="input" type="search" value={text} onChange={(event) => setText(event.target.value)} />
          </label>
          <span className="soft" role="status">
            {formatCount(fitting.length, 'event')}
          </span>
        </header>
      )}
      {fitting.length === 0 && <NothingHere title={events.length === 0 ? 'No events' : 'No event has this in it'} />}
      <ol className="events">
        {fitting.slice(0, most).map((event) => (
          <li key={event.event_index} id={`event-${event.event_index}`}>
            <h3>
              <span className="soft">{event.event_index}</span>{' '}
              {event.contract_address === null ? (
                event.type
              ) : (
                <>
                  <ContractLink identifier={contractOf(event.type)} />.{event.event_name}
                </>
              )}
            </h3>
            <ValueTree value={event.payload} />
          </li>
        ))}
      </ol>
      {fitting.length > most && (
        <footer>
          <Button onClick={() => setMost(most + 100)}>More events</Button>
        </footer>
      )}
    </section>
  )
}
