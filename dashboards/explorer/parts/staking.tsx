import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { Node, StakingEvent } from '../answers.gen.ts'
import { useList } from '../api.ts'
import type { ListPath, ListQuery } from '../api.ts'
import { paths, shorten, humanize } from '../text.ts'
import { useFilterValues } from './filters.tsx'
import type { Filter } from './filters.tsx'
import { TableList } from './lists.tsx'
import { Amount, TransactionLink, Identity, NoValue, OptionalAccountLink } from './values.tsx'

type StakingPath = Extract<
  ListPath,
  '/staking/account/{address}/event' | '/staking/node/{node_id}/event' | '/staking/rewards/paid'
>

const eventColumns: readonly Column<StakingEvent>[] = [
  {
    name: 'Transaction',
    cell: ({ transaction_id: id, block_height: height }) => <TransactionLink id={id} height={height} />,
  },
  { name: 'Event', cell: ({ event_type: type }) => type.replaceAll(/([a-z])([A-Z])/g, '$1 $2') },
  {
    name: 'Node',
    cell: ({ node_id: node, delegator_id: delegator }) => (
      <>
        {node === null ? (
          <NoValue />
        ) : (
          <Link to={paths.node(node)} title={node}>
            <code>{shorten(node)}</code>
          </Link>
        )}
        {delegator !== null && <span className="soft"> delegator {delegator}</span>}
      </>
    ),
  },
  { name: 'FLOW', cell: ({ amount }) => <Amount amount={amount} />, isNumber: true },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true },
]

interface StakingEventsProps<Path extends StakingPath> {
  readonly list: ListQuery<Path>
  readonly what?: string
  readonly emptyText: string
}

export function StakingEvents<Path extends StakingPath>({
  what = 'staking events',
  ...rest
}: StakingEventsProps<Path>): ReactNode {
  return (
    <TableList
      what={what}
      columns={eventColumns}
      itemKey={(event: StakingEvent) => `${event.block_height} ${event.transaction_index} ${event.event_index}`}
      {...rest}
    />
  )
}

const nodeColumns: readonly Column<Node>[] = [
  { name: 'Node', cell: ({ node_id: id }) => <Identity id={id} to={paths.node(id)} what="Node" /> },
  { name: 'Role', cell: ({ role_name: role }) => <Badge>{humanize(role ?? 'unknown')}</Badge> },
  { name: 'Operator', cell: ({ address }) => <OptionalAccountLink address={address} /> },
  { name: 'Staked', cell: ({ tokens_staked: amount }) => <Amount amount={amount} decimals={2} />, isNumber: true },
  { name: 'Rewards', cell: ({ tokens_rewarded: amount }) => <Amount amount={amount} decimals={2} />, isNumber: true },
  { name: 'Delegators', cell: ({ delegator_count: count }) => formatNumber(count), isNumber: true },
]

const nodeFilters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'role',
    label: 'Role',
    options: {
      collection: 'Collection',
      consensus: 'Consensus',
      execution: 'Execution',
      verification: 'Verification',
      access: 'Access',
    },
  },
]

export function Nodes(): ReactNode {
  return (
    <TableList
      list={useList('/flow/node', { ...useFilterValues(nodeFilters), limit: 25 })}
      filters={nodeFilters}
      what="nodes"
      columns={nodeColumns}
      itemKey={(node) => node.node_id}
      emptyText="Nodes will appear here after the first staking event."
    />
  )
}
