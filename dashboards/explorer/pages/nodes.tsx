import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { Column } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { TimePoint } from '../../kit/time-chart.tsx'
import type { EpochStats, Node } from '../answers.gen.ts'
import { useList, itemsOf, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { ItemResult, TableList } from '../parts/lists.tsx'
import { UrlTabs, KeyNumber, KeyNumbers, PageTitle, Detail, DetailPanel } from '../parts/page.tsx'
import { StakingEvents, Nodes } from '../parts/staking.tsx'
import { Amount, Moment, BlockLink, Identity, NoValue, OptionalAccountLink } from '../parts/values.tsx'
import { formatAmount, humanize, shorten } from '../text.ts'

export function NodesPage(): ReactNode {
  return (
    <>
      <PageTitle title="Staking" />
      <StakingNumbers />
      <EpochCharts />
      <UrlTabs
        label="Staking"
        tabs={[
          { name: 'nodes', label: 'Nodes', render: () => <Nodes /> },
          { name: 'epochs', label: 'Epochs', render: () => <Epochs /> },
          { name: 'rewards', label: 'Rewards', render: () => <Rewards /> },
        ]}
      />
    </>
  )
}

function Rewards(): ReactNode {
  const list = useList('/staking/rewards/paid', { limit: 25 })
  return (
    <StakingEvents list={list} what="rewards" emptyText="Rewards will appear here when they are paid after an epoch." />
  )
}

const epochList = ['/staking/epoch/stats', { limit: 50 }] as const

function EpochCharts(): ReactNode {
  const epochs = itemsOf(useList(...epochList)).toReversed()
  const staked = pointsOf(epochs, ({ total_staked: total }) => total)
  const paid = pointsOf(epochs, ({ payout_total: total }) => total)
  if (staked.length < 2 && paid.length < 2) return null
  return (
    <div className="chart-grid">
      <section className="panel chart-panel" aria-label="Staked">
        <TimeChart label="Staked per epoch" points={staked} height={150} />
      </section>
      <section className="panel chart-panel" aria-label="Paid out">
        <TimeChart label="Paid out per epoch" shape="bars" points={paid} height={150} />
      </section>
    </div>
  )
}

function pointsOf(epochs: readonly EpochStats[], amountOf: (epoch: EpochStats) => string | null): TimePoint[] {
  return epochs.flatMap((epoch) => {
    const amount = amountOf(epoch)
    return amount === null
      ? []
      : [{ date: `Epoch ${epoch.epoch}`, value: Number(amount), text: `${formatAmount(amount)} FLOW` }]
  })
}

const epochColumns: readonly Column<EpochStats>[] = [
  { name: 'Epoch', cell: ({ epoch }) => formatNumber(epoch) },
  {
    name: 'Status',
    cell: ({ status }) => <Badge tone={status === 'running' ? 'good' : 'neutral'}>{humanize(status)}</Badge>,
  },
  {
    name: 'Started',
    cell: ({ start_time: start }) => (
      <span>
        <Moment at={start} />
      </span>
    ),
  },
  {
    name: 'Nodes',
    cell: ({ total_nodes: count }) => (count === null ? <NoValue /> : formatNumber(count)),
    isNumber: true,
  },
  { name: 'Staked', cell: ({ total_staked: amount }) => <Amount amount={amount} decimals={2} />, isNumber: true },
  { name: 'Paid out', cell: ({ payout_total: amount }) => <Amount amount={amount} decimals={2} />, isNumber: true },
]

function Epochs(): ReactNode {
  return (
    <TableList
      list={useList(...epochList)}
      what="epochs"
      columns={epochColumns}
      itemKey={({ epoch }) => epoch}
      emptyText="Epochs will appear here after the first indexed epoch setup."
    />
  )
}

/** Epochs of seconds, as on an emulator, have meaningless yields. */
const maxYield = 1000

function StakingNumbers(): ReactNode {
  const { data: status } = useApi('/status/epoch/status')
  const { data: tokenomics } = useApi('/staking/tokenomics')
  const epoch = status?.data[0]
  const stake = tokenomics?.data[0]
  const share = stake?.staked_share ?? null
  return (
    <KeyNumbers>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? undefined}>
        {epoch === undefined || epoch.epoch === null ? <NoValue /> : formatNumber(epoch.epoch)}
      </KeyNumber>
      <KeyNumber name="Staked" note={share === null ? 'FLOW' : `FLOW, ${share.toFixed(1)}% of the supply`}>
        <Amount amount={stake?.total_staked ?? null} decimals={0} />
      </KeyNumber>
      <NodeCount current={stake?.validator_count ?? null} />
      <KeyNumber name="Delegators">
        {stake === undefined ? <NoValue /> : formatNumber(stake.delegator_count ?? 0)}
      </KeyNumber>
      <AnnualYield percent={stake?.staking_apy ?? null} />
      <KeyNumber name="Paid per epoch" note="FLOW">
        <Amount amount={stake?.epoch_payout ?? null} decimals={2} />
      </KeyNumber>
    </KeyNumbers>
  )
}

function NodeCount({ current }: { readonly current: number | null }): ReactNode {
  const list = useList(...epochList)
  if (current !== null) return <KeyNumber name="Nodes">{formatNumber(current)}</KeyNumber>
  const known = itemsOf(list).find(({ total_nodes: nodes }) => nodes !== null)
  return (
    <KeyNumber name="Nodes" note={known === undefined ? undefined : `as of epoch ${formatNumber(known.epoch)}`}>
      {known === undefined ? <NoValue /> : formatNumber(known.total_nodes ?? 0)}
    </KeyNumber>
  )
}

function AnnualYield({ percent }: { readonly percent: number | null }): ReactNode {
  if (percent === null) return null
  if (percent > maxYield) {
    return (
      <KeyNumber name="Annual yield" note="epochs are too short to estimate">
        <NoValue />
      </KeyNumber>
    )
  }
  return <KeyNumber name="Annual yield">{percent.toLocaleString('en-US', { maximumFractionDigits: 2 })}%</KeyNumber>
}

export function NodePage({ values: { id = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/node/{node_id}', { node_id: id })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Node"
        title={shorten(id)}
        aside={found !== undefined && <Badge>{humanize(found.role_name ?? 'unknown role')}</Badge>}
      />
      <ItemResult query={query} what="this node" rows={6}>
        {(node) => (
          <>
            <StakeNumbers node={node} />
            <NodeDetails node={node} />
            <UrlTabs
              label="Node"
              tabs={[
                { name: 'delegators', label: 'Delegators', render: () => <Delegators node={id} /> },
                { name: 'events', label: 'Events', render: () => <Events node={id} /> },
              ]}
            />
          </>
        )}
      </ItemResult>
    </>
  )
}

function StakeNumbers({ node }: { readonly node: Node }): ReactNode {
  const amounts = [
    ['Staked', node.tokens_staked],
    ['Committed', node.tokens_committed],
    ['Unstaking', node.tokens_unstaking],
    ['Unstaked', node.tokens_unstaked],
    ['Rewards', node.tokens_rewarded],
  ] as const
  return (
    <KeyNumbers>
      {amounts.map(([name, amount]) => (
        <KeyNumber key={name} name={name} note="FLOW">
          <Amount amount={amount} decimals={2} />
        </KeyNumber>
      ))}
      <KeyNumber name="Delegators">{formatNumber(node.delegator_count)}</KeyNumber>
    </KeyNumbers>
  )
}

function NodeDetails({ node }: { readonly node: Node }): ReactNode {
  return (
    <DetailPanel label="Node">
      <Detail name="ID">
        <Identity id={node.node_id} what="node ID" isWhole hasCopy />
      </Detail>
      <Detail name="Operator">
        <OptionalAccountLink address={node.address} isWhole hasCopy />
      </Detail>
      {node.networking_address !== null && <Detail name="Network address">{node.networking_address}</Detail>}
      {node.first_seen_height !== null && (
        <Detail name="First seen in block">
          <BlockLink height={node.first_seen_height} />
        </Detail>
      )}
    </DetailPanel>
  )
}

function Events({ node }: { readonly node: string }): ReactNode {
  const list = useList('/staking/node/{node_id}/event', { node_id: node, limit: 25 })
  return <StakingEvents list={list} emptyText="Staking events of this node will appear here." />
}

const delegatorColumns: readonly Column<ItemOf<'/staking/delegator'>>[] = [
  { name: 'Delegator', cell: ({ delegator_id: id }) => `#${id}` },
  { name: 'Account', cell: ({ address }) => <OptionalAccountLink address={address} /> },
  { name: 'Staked', cell: ({ tokens_staked: amount }) => <Amount amount={amount} />, isNumber: true },
  { name: 'Rewards', cell: ({ tokens_rewarded: amount }) => <Amount amount={amount} />, isNumber: true },
]

function Delegators({ node }: { readonly node: string }): ReactNode {
  return (
    <TableList
      list={useList('/staking/delegator', { node_id: node, limit: 25 })}
      what="delegators"
      columns={delegatorColumns}
      itemKey={({ delegator_id: id }) => id}
      emptyText="Delegators of this node will appear here."
    />
  )
}
