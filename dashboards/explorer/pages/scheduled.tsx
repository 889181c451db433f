import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Link } from '../../kit/link.tsx'
import { Amount } from '../parts/amount.tsx'
import { AccountLink } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { scheduledTones } from '../parts/scheduled-tones.ts'
import { paths } from '../paths.ts'
import { useList } from '../queries.ts'
import { contractNameOf, humanize } from '../text.ts'

const columns = [
  { name: 'Number' },
  { name: 'State' },
  { name: 'Handler' },
  { name: 'Owner' },
  { name: 'Due' },
  { name: 'Fees in FLOW', isNumber: true },
]

export function ScheduledPage(): ReactNode {
  const list = useList('/flow/scheduled-transaction', { limit: 25 })
  return (
    <>
      <PageTitle title="Scheduled transactions" />
      <p className="lead">What contracts asked the chain to run later, by itself.</p>
      <ListPanel
        list={list}
        what="scheduled transactions"
        columns={columns}
        whenEmpty="Nobody has scheduled anything so far."
        renderRow={(scheduled) => (
          <Row key={scheduled.id}>
            <RowName>
              <Link to={paths.scheduled(scheduled.id)}>{scheduled.id}</Link>
            </RowName>
            <Cell label="State">
              <Badge tone={scheduledTones[scheduled.status]}>{humanize(scheduled.status)}</Badge>
            </Cell>
            <Cell label="Handler">
              <span title={scheduled.handler_type ?? undefined}>
                {scheduled.handler_type === null ? '–' : contractNameOf(scheduled.handler_type)}
              </span>
            </Cell>
            <Cell label="Owner">
              {scheduled.handler_owner === null ? '–' : <AccountLink address={scheduled.handler_owner} />}
            </Cell>
            <Cell label="Due">
              <Moment at={scheduled.due_at} />
            </Cell>
            <Cell label="Fees in FLOW" className="number">
              <Amount amount={scheduled.fees} />
            </Cell>
          </Row>
        )}
      />
    </>
  )
}
