import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import { Link } from '../link.tsx'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Amount } from '../parts/amount.tsx'
import { KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { AccountLink } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { StakingEvents } from '../parts/staking-events.tsx'
import { paths } from '../paths.ts'
import { itemsOf, useAnswer, useList } from '../queries.ts'
import { formatAmount, humanize, shorten } from '../text.ts'

/** Staking: the nodes that run the network, its epochs, and what they were paid. */
export function NodesPage(): ReactNode {
  return (
    <>
      <PageTitle title="Staking" />
      <Now />
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

function Now(): ReactNode {
  const { data: status } = useAnswer('/status/epoch/status')
  const { data: numbers } = useAnswer('/staking/tokenomics')
  const epoch = status?.data[0]
  const stake = numbers?.data[0]
  const share = stake?.staked_share ?? null
  const staked = stake?.total_staked ?? null
  const yearly = stake?.staking_apy ?? null
  const payout = stake?.epoch_payout ?? null
  const known = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : formatNumber(value))
  return (
    <KeyNumbers>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? undefined}>
        {known(epoch?.epoch)}
      </KeyNumber>
      <KeyNumber name="Staked" note={share === null ? undefined : `${share.toFixed(1)}% of all FLOW`}>
        {staked === null ? '–' : `${formatAmount(staked)} FLOW`}
      </KeyNumber>
      <KeyNumber name="Nodes">{known(stake?.validator_count)}</KeyNumber>
      <KeyNumber name="Delegators">{known(stake?.delegator_count)}</KeyNumber>
      {yearly !== null && <KeyNumber name="Yield of a year">{yearly.toLocaleString('en-US', { maximumFractionDigits: 2 })}%</KeyNumber>}
      {payout !== null && <KeyNumber name="Paid for an epoch">{formatAmount(payout)} FLOW</KeyNumber>}
    </KeyNumbers>
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

function Nodes(): ReactNode {
  const list = useList('/flow/node', { limit: 25 })
  return (
    <ListPanel
      list={list}
      what="nodes"
      columns={nodeColumns}
      whenEmpty="Nodes show up with the first event of staking."
      renderRow={(node) => (
        <Row key={node.node_id}>
          <RowName>
            <Link to={paths.node(node.node_id)} title={node.node_id}>
              <code>{shorten(node.node_id)}</code>
            </Link>
          </RowName>
          <Cell label="Role">
            <Badge>{humanize(node.role_name ?? 'unknown')}</Badge>
          </Cell>
          <Cell label="Operator">
            {node.address === null ? <span className="soft">–</span> : <AccountLink address={node.address} />}
          </Cell>
          <Cell label="Staked" className="number">
            <Amount amount={node.tokens_staked} />
          </Cell>
          <Cell label="Rewards" className="number">
            <Amount amount={node.tokens_rewarded} />
          </Cell>
          <Cell label="Delegators" className="number">
            {formatNumber(node.delegator_count)}
          </Cell>
        </Row>
      )}
    />
  )
}

const epochColumns = [
  { name: 'Epoch' },
  { name: 'State' },
  { name: 'Began' },
  { name: 'Nodes', isNumber: true },
  { name: 'Staked', isNumber: true },
  { name: 'Paid out', isNumber: true },
]

function Epochs(): ReactNode {
  const list = useList('/staking/epoch/stats', { limit: 50 })
  const paid = itemsOf(list)
    .filter(({ payout_total: total }) => total !== null)
    .toReversed()
  return (
    <>
      {paid.length > 1 && (
        <section className="panel chart-panel">
          <TimeChart
            label="Paid out for each epoch"
            shape="bars"
            points={paid.map(({ epoch, payout_total: total }) => ({
              date: `Epoch ${epoch}`,
              value: Number(total),
              text: `${formatAmount(total ?? '0')} FLOW`,
            }))}
          />
        </section>
      )}
      <ListPanel
        list={list}
        what="epochs"
        columns={epochColumns}
        whenEmpty="Epochs show up with the first block in which the protocol sets one up."
        renderRow={(epoch) => (
          <Row key={epoch.epoch}>
            <RowName>{formatNumber(epoch.epoch)}</RowName>
            <Cell label="State">
              <Badge tone={epoch.status === 'running' ? 'good' : 'neutral'}>{humanize(epoch.status)}</Badge>
            </Cell>
            <Cell label="Began">
              <Moment at={epoch.start_time} />
            </Cell>
            <Cell label="Nodes" className="number">
              {epoch.total_nodes === null ? '–' : formatNumber(epoch.total_nodes)}
            </Cell>
            <Cell label="Staked" className="number">
              <Amount amount={epoch.total_staked} />
            </Cell>
            <Cell label="Paid out" className="number">
              <Amount amount={epoch.payout_total} />
            </Cell>
          </Row>
        )}
      />
    </>
  )
}

function Rewards(): ReactNode {
  const list = useList('/staking/rewards/paid', { limit: 25 })
  return <StakingEvents list={list} what="rewards" whenEmpty="Rewards are paid at the end of an epoch." />
}
