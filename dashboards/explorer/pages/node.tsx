import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { Node } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Amount } from '../parts/amount.tsx'
import { Answer } from '../parts/answer.tsx'
import { Detail, DetailList, KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, Identity } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { StakingEvents } from '../parts/staking-events.tsx'
import { useAnswer, useList } from '../queries.ts'
import { humanize, shorten } from '../text.ts'

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

const columns = [
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
      columns={columns}
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
