import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { useList } from '../../queries.ts'
import { formatDollars } from '../../text.ts'
import { Amount } from '../amount.tsx'
import { ListPanel } from '../list-panel.tsx'
import { TokenName } from '../token-name.tsx'

const columns = [
  { name: 'Token' },
  { name: 'Transfers', isNumber: true },
  { name: 'Amount', isNumber: true },
  { name: 'Value', isNumber: true },
]

export function MovedTokens(): ReactNode {
  return (
    <ListPanel
      list={useList('/insights/token-volume', { hours: 24, limit: 10 })}
      what="moved tokens"
      header={
        <header>
          <h2>Most moved tokens in 24 hours</h2>
        </header>
      }
      columns={columns}
      whenEmpty="No token was moved in the last day."
      renderRow={({
        token,
        name,
        symbol,
        contract_name: contractName,
        logo,
        transfer_count: count,
        total_amount: amount,
        usd_volume: dollars,
      }) => (
        <Row key={token}>
          <RowName>
            <TokenName id={token} token={{ name: name ?? contractName, symbol, logo }} />
          </RowName>
          <Cell label="Transfers" className="number">
            {formatNumber(count)}
          </Cell>
          <Cell label="Amount" className="number">
            <Amount amount={amount} decimals={2} />
          </Cell>
          <Cell label="Value" className="number">
            {dollars === null ? <span className="soft">–</span> : formatDollars(dollars)}
          </Cell>
        </Row>
      )}
    />
  )
}
