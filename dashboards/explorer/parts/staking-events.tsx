import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { StakingEvent } from '../gen/answers.ts'
import { Link } from '../../kit/link.tsx'
import { paths } from '../paths.ts'
import type { ListPath, ListQuery } from '../queries.ts'
import { shorten } from '../text.ts'
import { Amount } from './amount.tsx'
import { TransactionLink } from './identity.tsx'
import { ListPanel } from './list-panel.tsx'

type StakingList = Extract<
  ListPath,
  '/staking/account/{address}/event' | '/staking/node/{node_id}/event' | '/staking/rewards/paid'
>

const columns = [
  { name: 'Transaction' },
  { name: 'Event' },
  { name: 'Node' },
  { name: 'FLOW', isNumber: true },
  { name: 'Age', isNumber: true },
]

export interface StakingEventsProps<Path extends StakingList> {
  readonly list: ListQuery<Path>
  readonly what?: string
  readonly whenEmpty: string
}

export function StakingEvents<Path extends StakingList>({
  list,
  what = 'staking events',
  whenEmpty,
}: StakingEventsProps<Path>): ReactNode {
  return (
    <ListPanel
      list={list}
      what={what}
      columns={columns}
      whenEmpty={whenEmpty}
      renderRow={(event: StakingEvent) => (
        <Row key={`${event.block_height} ${event.transaction_index} ${event.event_index}`}>
          <RowName>
            <TransactionLink id={event.transaction_id} height={event.block_height} />
          </RowName>
          <Cell label="Event">{event.event_type.replaceAll(/([a-z])([A-Z])/g, '$1 $2')}</Cell>
          <Cell label="Node">
            {event.node_id === null ? (
              <span className="soft">–</span>
            ) : (
              <Link to={paths.node(event.node_id)} title={event.node_id}>
                <code>{shorten(event.node_id)}</code>
              </Link>
            )}
            {event.delegator_id !== null && <span className="soft"> delegator {event.delegator_id}</span>}
          </Cell>
          <Cell label="FLOW" className="number">
            <Amount amount={event.amount} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={event.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}
