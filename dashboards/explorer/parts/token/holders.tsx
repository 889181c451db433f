import type { ReactNode } from 'react'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { useList } from '../../queries.ts'
import { Amount } from '../amount.tsx'
import { AccountLink } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Share } from '../share.tsx'

const columns = [
  { name: 'Account' },
  { name: 'Balance', isNumber: true },
  { name: 'Part of the supply', isNumber: true },
]

export function TokenHolders({ token }: { readonly token: string }): ReactNode {
  const list = useList('/flow/ft/{token}/holding', { token, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="holders"
      columns={columns}
      whenEmpty="Nobody holds this token."
      renderRow={(holding) => (
        <Row key={holding.address}>
          <RowName>
            <AccountLink address={holding.address} />
          </RowName>
          <Cell label="Balance" className="number">
            <span>
              <Amount amount={holding.balance} />
              {!holding.is_complete && <span className="soft"> or more</span>}
            </span>
          </Cell>
          <Cell label="Part of the supply" className="number">
            <Share part={holding.percentage} />
          </Cell>
        </Row>
      )}
    />
  )
}
