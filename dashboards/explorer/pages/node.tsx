import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Amount } from '../parts/amount.tsx'
import { Answer } from '../parts/answer.tsx'
import { Detail, DetailList } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, Identity } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { StakingEvents } from '../parts/staking-events.tsx'
import { useAnswer, useList } from '../queries.ts'
import { humanize, shorten } from '../text.ts'

export function NodePage({ values: { id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/node/{node_id}', { node_id: id })
  return (
    <>
      <PageTitle
        kind="Node"
        title={shorten(id)}
        aside={query.data?.data[0] !== undefined && <Badge>{humanize(query.data.data[0].role_name ?? 'unknown role')}</Badge>}
      />
      <Answer query={query} what="this node" rows={6}>
        {({ data: [node] }) =>
          node !== undefined && (
            <>
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
                  <Detail name="Staked">
                    <Amount amount={node.tokens_staked} unit="FLOW" />
                  </Detail>
                  <Detail name="Committed">
                    <Amount amount={node.tokens_committed} unit="FLOW" />
                  </Detail>
                  <Detail name="Being unstaked">
                    <Amount amount={node.tokens_unstaking} unit="FLOW" />
                  </Detail>
                  <Detail name="Unstaked">
                    <Amount amount={node.tokens_unstaked} unit="FLOW" />
                  </Detail>
                  <Detail name="Rewards">
                    <Amount amount={node.tokens_rewarded} unit="FLOW" />
                  </Detail>
                  <Detail name="Delegators">{formatNumber(node.delegator_count)}</Detail>
                  {node.first_seen_height !== null && (
                    <Detail name="First seen in block">
                      <BlockLink height={node.first_seen_height} />
                    </Detail>
                  )}
                </DetailList>
              </section>
              <AddressTabs
                label="Parts of the node"
                tabs={[
                  { name: 'delegators', label: 'Delegators', render: () => <Delegators id={id} /> },
                  { name: 'events', label: 'Events', render: () => <Events id={id} /> },
                ]}
              />
            </>
          )
        }
      </Answer>
    </>
  )
}

const columns = [
  { name: 'Delegator' },
  { name: 'Account' },
  { name: 'Staked', isNumber: true },
  { name: 'Rewards', isNumber: true },
]

function Delegators({ id }: { readonly id: string }): ReactNode {
  const list = useList('/staking/delegator', { node_id: id, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="delegators"
      columns={columns}
      whenEmpty="Nobody has delegated to this node."
      renderRow={(delegator) => (
        <Row key={delegator.delegator_id}>
          <RowName>{formatNumber(delegator.delegator_id)}</RowName>
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

function Events({ id }: { readonly id: string }): ReactNode {
  const list = useList('/staking/node/{node_id}/event', { node_id: id, limit: 25 })
  return <StakingEvents list={list} whenEmpty="Nothing was staked with this node so far." />
}
