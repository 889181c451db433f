import type { ReactNode } from 'react'
import { Age } from '../../kit/time.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { StakingEvent } from '../answers.gen.ts'
import { Link } from '../../kit/router.tsx'
import { paths, shorten, humanize } from '../text.ts'
import type { ListPath, ListQuery } from '../api.ts'
import { Amount, TransactionLink, AccountLink, Identity } from './values.tsx'
import { ListPanel } from './lists.tsx'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { useList } from '../api.ts'

type StakingList = Extract<
  ListPath,
  '/staking/account/{address}/event' | '/staking/node/{node_id}/event' | '/staking/rewards/paid'
>

const eventColumns = [
  { name: 'Transaction' },
  { name: 'Event' },
  { name: 'Node' },
  { name: 'FLOW', isNumber: true },
  { name: 'Age', isNumber: true },
]

interface StakingEventsProps<Path extends StakingList> {
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
      columns={eventColumns}
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

const nodeColumns = [
  { name: 'Node' },
  { name: 'Role' },
  { name: 'Operator' },
  { name: 'Staked', isNumber: true },
  { name: 'Rewards', isNumber: true },
  { name: 'Delegators', isNumber: true },
]

export function Nodes(): ReactNode {
  return (
    <ListPanel
      list={useList('/flow/node', { limit: 25 })}
      what="nodes"
      columns={nodeColumns}
      whenEmpty="Nodes show up with the first event of staking."
      renderRow={(node) => (
        <Row key={node.node_id}>
          <RowName>
            <Identity id={node.node_id} to={paths.node(node.node_id)} what="Node" />
          </RowName>
          <Cell label="Role">
            <Badge>{humanize(node.role_name ?? 'unknown')}</Badge>
          </Cell>
          <Cell label="Operator">
            {node.address === null ? <span className="soft">–</span> : <AccountLink address={node.address} />}
          </Cell>
          <Cell label="Staked" className="number">
            <Amount amount={node.tokens_staked} decimals={2} />
          </Cell>
          <Cell label="Rewards" className="number">
            <Amount amount={node.tokens_rewarded} decimals={2} />
          </Cell>
          <Cell label="Delegators" className="number">
            {formatNumber(node.delegator_count)}
          </Cell>
        </Row>
      )}
    />
  )
}
