import type { ReactNode } from 'react'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { useList } from '../../queries.ts'
import { Amount } from '../amount.tsx'
import { AccountLink } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'

const columns = [
  { name: 'Delegator' },
  { name: 'Account' },
  { name: 'Staked', isNumber: true },
  { name: 'Rewards', isNumber: true },
]

export function Delegators({ node }: { readonly node: string }): ReactNode {
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
