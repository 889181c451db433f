import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Amount } from '../parts/amount.tsx'
import { BlockLink, Identity } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { paths } from '../paths.ts'
import { useList } from '../queries.ts'

const columns = [
  { name: 'Block' },
  { name: 'Id' },
  { name: 'Transactions', isNumber: true },
  { name: 'Events', isNumber: true },
  { name: 'Computation', isNumber: true },
  { name: 'Fees in FLOW', isNumber: true },
  { name: 'Age', isNumber: true },
]

export function BlocksPage(): ReactNode {
  const list = useList('/flow/block', { limit: 25 })
  return (
    <>
      <PageTitle title="Blocks" />
      <ListPanel
        list={list}
        what="blocks"
        columns={columns}
        whenEmpty="The first ones show up as soon as the ingester has stored them."
        renderRow={(block) => (
          <Row key={block.height}>
            <RowName>
              <BlockLink height={block.height} />
            </RowName>
            <Cell label="Id" className="wide-only">
              <Identity id={block.id} to={paths.block(block.height)} what="Block" />
            </Cell>
            <Cell label="Transactions" className="number">
              {formatNumber(block.tx_count)}
            </Cell>
            <Cell label="Events" className="number">
              {formatNumber(block.event_count)}
            </Cell>
            <Cell label="Computation" className="number wide-only">
              {block.total_gas_used === null ? '–' : formatNumber(block.total_gas_used)}
            </Cell>
            <Cell label="Fees in FLOW" className="number">
              <Amount amount={block.fees} />
            </Cell>
            <Cell label="Age" className="number">
              <Age since={block.timestamp} />
            </Cell>
          </Row>
        )}
      />
    </>
  )
}
