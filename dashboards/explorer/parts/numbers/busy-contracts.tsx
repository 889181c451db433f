import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { useList } from '../../queries.ts'
import { ContractLink } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'

const columns = [{ name: 'Contract' }, { name: 'Transactions', isNumber: true }]

export function BusyContracts(): ReactNode {
  return (
    <ListPanel
      list={useList('/insights/top-contracts', { hours: 24, limit: 10 })}
      what="busy contracts"
      header={
        <header>
          <h2>Most used contracts in 24 hours</h2>
        </header>
      }
      columns={columns}
      whenEmpty="No contract was used in the last day."
      renderRow={({ contract_identifier: identifier, tx_count: count }) => (
        <Row key={identifier}>
          <RowName>
            <ContractLink identifier={identifier} />
          </RowName>
          <Cell label="Transactions" className="number">
            {formatNumber(count)}
          </Cell>
        </Row>
      )}
    />
  )
}
