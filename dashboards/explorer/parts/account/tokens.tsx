import type { ReactNode } from 'react'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { useList } from '../../queries.ts'
import { formatDollars } from '../../text.ts'
import { Amount } from '../amount.tsx'
import { ListPanel } from '../list-panel.tsx'
import { TokenName } from '../token-name.tsx'

const columns = [{ name: 'Token' }, { name: 'Balance', isNumber: true }, { name: 'Value', isNumber: true }]

export function AccountTokens({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/account/{address}/ft', { address, limit: 50 })
  return (
    <ListPanel
      list={list}
      what="tokens"
      columns={columns}
      whenEmpty="This account holds no fungible tokens."
      renderRow={(vault) => (
        <Row key={vault.token}>
          <RowName>
            <TokenName token={vault} id={vault.token} />
          </RowName>
          <Cell label="Balance" className="number">
            <Amount amount={vault.balance} />
            {!vault.is_complete && <span className="soft"> or more</span>}
          </Cell>
          <Cell label="Value" className="number">
            {vault.usd_value === null ? <span className="soft">–</span> : formatDollars(vault.usd_value)}
          </Cell>
        </Row>
      )}
    />
  )
}
