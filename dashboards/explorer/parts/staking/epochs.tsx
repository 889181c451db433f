import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import { formatNumber } from '../../../kit/formats.ts'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { useList } from '../../queries.ts'
import { humanize } from '../../text.ts'
import { Amount } from '../amount.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Moment } from '../moment.tsx'
import { epochList } from './epoch-list.ts'

const columns = [
  { name: 'Epoch' },
  { name: 'State' },
  { name: 'Began' },
  { name: 'Nodes', isNumber: true },
  { name: 'Staked', isNumber: true },
  { name: 'Paid out', isNumber: true },
]

export function Epochs(): ReactNode {
  return (
    <ListPanel
      list={useList(...epochList)}
      what="epochs"
      columns={columns}
      whenEmpty="Epochs show up with the first block in which the protocol sets one up."
      renderRow={(epoch) => (
        <Row key={epoch.epoch}>
          <RowName>{formatNumber(epoch.epoch)}</RowName>
          <Cell label="State">
            <Badge tone={epoch.status === 'running' ? 'good' : 'neutral'}>{humanize(epoch.status)}</Badge>
          </Cell>
          <Cell label="Began">
            <span>
              <Moment at={epoch.start_time} />
            </span>
          </Cell>
          <Cell label="Nodes" className="number">
            {epoch.total_nodes === null ? <span className="soft">–</span> : formatNumber(epoch.total_nodes)}
          </Cell>
          <Cell label="Staked" className="number">
            <Amount amount={epoch.total_staked} decimals={2} />
          </Cell>
          <Cell label="Paid out" className="number">
            <Amount amount={epoch.payout_total} decimals={2} />
          </Cell>
        </Row>
      )}
    />
  )
}
