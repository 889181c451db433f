import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import { formatNumber } from '../../../kit/formats.ts'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { paths } from '../../paths.ts'
import { useList } from '../../queries.ts'
import { humanize } from '../../text.ts'
import { Amount } from '../amount.tsx'
import { AccountLink, Identity } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'

const columns = [
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
      columns={columns}
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
