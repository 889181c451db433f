import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { TimePoint } from '../../kit/time-chart.tsx'
import type { EpochStats, Node } from '../answers.gen.ts'
import { AddressTabs, KeyNumber, KeyNumbers, PageTitle, Detail, DetailList } from '../parts/page.tsx'
import { Amount, Moment, AccountLink, BlockLink, Identity } from '../parts/values.tsx'
import { ListPanel, Answer } from '../parts/lists.tsx'
import { StakingEvents, Nodes } from '../parts/staking.tsx'
import { useList, itemsOf, useAnswer } from '../api.ts'
import { formatAmount, humanize, shorten } from '../text.ts'
import type { PageProps } from '../pages.ts'

/** Staking: the nodes that run the network, its epochs, and what they were paid. */
export function NodesPage(): ReactNode {
  return (
    <>
      <PageTitle title="Staking" />
      <StakingNumbers />
      <EpochCharts />
      <AddressTabs
        label="Parts of staking"
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
  return <StakingEvents list={list} what="rewards" whenEmpty="Rewards are paid at the end of an epoch." />
}

/** What was staked and what was paid, epoch by epoch. One epoch is no course of things: then nothing is drawn. */
function EpochCharts(): ReactNode {
  const epochs = itemsOf(useList(...epochList)).toReversed()
  const staked = pointsOf(epochs, ({ total_staked: total }) => total)
  const paid = pointsOf(epochs, ({ payout_total: total }) => total)
  if (staked.length < 2 && paid.length < 2) return null
  return (
    <div className="chart-grid">
      <section className="panel chart-panel" aria-label="Staked">
        <TimeChart label="Staked in each epoch" points={staked} height={150} />
      </section>
      <section className="panel chart-panel" aria-label="Paid out">
        <TimeChart label="Paid out for each epoch" shape="bars" points={paid} height={150} />
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

const columns = [
  { name: 'Epoch' },
  { name: 'State' },
  { name: 'Began' },
  { name: 'Nodes', isNumber: true },
  { name: 'Staked', isNumber: true },
  { name: 'Paid out', isNumber: true },
]

function Epochs(): ReactNode {
  return (
    <ListPanel
      list={useList(...epochList)}
      what="epochs"
      columns={columns}
      whenEmpty="Epochs show up with the first block in which the protocol sets one up."
      renderRow={(epoch) => (
        <Row key={epoch.epoch}>
          <RowName>{formatNumber(epoch.epoch)}</RowName>
          <Cell label="State">
            <Badge tone={epoch.status === 'running' ? 'good' : 'neutral'}>{humanize(epoch.status)}</Badge>
          </Cell>
          <Cell label="Began">
            <span>
              <Moment at={epoch.start_time} />
            </span>
          </Cell>
          <Cell label="Nodes" className="number">
            {epoch.total_nodes === null ? <span className="soft">–</span> : formatNumber(epoch.total_nodes)}
          </Cell>
          <Cell label="Staked" className="number">
            <Amount amount={epoch.total_staked} decimals={2} />
          </Cell>
          <Cell label="Paid out" className="number">
            <Amount amount={epoch.payout_total} decimals={2} />
          </Cell>
        </Row>
      )}
    />
  )
}

/** A yield beyond this tells that epochs last seconds, as on an emulator, and not what anybody would earn. */
const highestYield = 1000
const unknown = '–'

/** Staking as it is now. */
function StakingNumbers(): ReactNode {
  const { data: status } = useAnswer('/status/epoch/status')
  const { data: numbers } = useAnswer('/staking/tokenomics')
  const epoch = status?.data[0]
  const stake = numbers?.data[0]
  const share = stake?.staked_share ?? null
  return (
    <KeyNumbers>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? undefined}>
        {epoch === undefined || epoch.epoch === null ? unknown : formatNumber(epoch.epoch)}
      </KeyNumber>
      <KeyNumber name="Staked" note={share === null ? 'FLOW' : `FLOW, ${share.toFixed(1)}% of all`}>
        <Amount amount={stake?.total_staked ?? null} decimals={0} />
      </KeyNumber>
      <NodeCount now={stake?.validator_count ?? null} />
      <KeyNumber name="Delegators">
        {stake === undefined ? unknown : formatNumber(stake.delegator_count ?? 0)}
      </KeyNumber>
      <Yield percent={stake?.staking_apy ?? null} />
      <KeyNumber name="Paid for an epoch" note="FLOW">
        <Amount amount={stake?.epoch_payout ?? null} decimals={2} />
      </KeyNumber>
    </KeyNumbers>
  )
}

/** How many nodes there are; where it is not told of this epoch, that of the newest one of which it is. */
function NodeCount({ now }: { readonly now: number | null }): ReactNode {
  const list = useList(...epochList)
  if (now !== null) return <KeyNumber name="Nodes">{formatNumber(now)}</KeyNumber>
  const told = itemsOf(list).find(({ total_nodes: nodes }) => nodes !== null)
  return (
    <KeyNumber name="Nodes" note={told === undefined ? undefined : `as of epoch ${formatNumber(told.epoch)}`}>
      {told === undefined ? unknown : formatNumber(told.total_nodes ?? 0)}
    </KeyNumber>
  )
}

function Yield({ percent }: { readonly percent: number | null }): ReactNode {
  if (percent === null) return null
  if (percent > highestYield) {
    return (
      <KeyNumber name="Yield of a year" note="epochs are too short to tell">
        {unknown}
      </KeyNumber>
    )
  }
  return <KeyNumber name="Yield of a year">{percent.toLocaleString('en-US', { maximumFractionDigits: 2 })}%</KeyNumber>
}

/** The list of epochs that the parts of staking share, newest first. */
const epochList = ['/staking/epoch/stats', { limit: 50 }] as const

export function NodePage({ values: { id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/node/{node_id}', { node_id: id })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Node"
        title={shorten(id)}
        aside={found !== undefined && <Badge>{humanize(found.role_name ?? 'unknown role')}</Badge>}
      />
      <Answer query={query} what="this node" rows={6}>
        {({ data: [node] }) =>
          node !== undefined && (
            <>
              <Stake node={node} />
              <About node={node} />
              <AddressTabs
                label="Parts of the node"
                tabs={[
                  { name: 'delegators', label: 'Delegators', render: () => <Delegators node={id} /> },
                  { name: 'events', label: 'Events', render: () => <Events node={id} /> },
                ]}
              />
            </>
          )
        }
      </Answer>
    </>
  )
}

function Stake({ node }: { readonly node: Node }): ReactNode {
  const amounts = [
    ['Staked', node.tokens_staked],
    ['Committed', node.tokens_committed],
    ['Being unstaked', node.tokens_unstaking],
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

function About({ node }: { readonly node: Node }): ReactNode {
  return (
    <section className="panel" aria-label="Node">
      <DetailList>
        <Detail name="Id">
          <Identity id={node.node_id} what="node id" isWhole hasCopy />
        </Detail>
        <Detail name="Operator">
          {node.address === null ? (
            <span className="soft">not known</span>
          ) : (
            <AccountLink address={node.address} isWhole hasCopy />
          )}
        </Detail>
        {node.networking_address !== null && <Detail name="Network address">{node.networking_address}</Detail>}
        {node.first_seen_height !== null && (
          <Detail name="First seen in block">
            <BlockLink height={node.first_seen_height} />
          </Detail>
        )}
      </DetailList>
    </section>
  )
}

function Events({ node }: { readonly node: string }): ReactNode {
  const list = useList('/staking/node/{node_id}/event', { node_id: node, limit: 25 })
  return <StakingEvents list={list} whenEmpty="Nothing was staked with this node so far." />
}

const delegatorColumns = [
  { name: 'Delegator' },
  { name: 'Account' },
  { name: 'Staked', isNumber: true },
  { name: 'Rewards', isNumber: true },
]

function Delegators({ node }: { readonly node: string }): ReactNode {
  return (
    <ListPanel
      list={useList('/staking/delegator', { node_id: node, limit: 25 })}
      what="delegators"
      columns={delegatorColumns}
      whenEmpty="Nobody has delegated to this node."
      renderRow={(delegator) => (
        <Row key={delegator.delegator_id}>
          <RowName>{`#${delegator.delegator_id}`}</RowName>
          <Cell label="Account">
            {delegator.address === null ? <span className="soft">–</span> : <AccountLink address={delegator.address} />}
          </Cell>
          <Cell label="Staked" className="number">
            <Amount amount={delegator.tokens_staked} />
          </Cell>
          <Cell label="Rewards" className="number">
            <Amount amount={delegator.tokens_rewarded} />
          </Cell>
        </Row>
      )}
    />
  )
}
