import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Link } from '../../kit/router.tsx'
import { Amount, AccountLink, Moment, BlockLink, ContractLink, TransactionLink } from '../parts/values.tsx'
import { ListPanel, Answer } from '../parts/lists.tsx'
import { PageTitle, Detail, DetailList } from '../parts/page.tsx'
import { paths, contractNameOf, humanize, contractOf } from '../text.ts'
import { useList, useAnswer } from '../api.ts'
import { formatNumber } from '../../kit/formats.ts'
import type { PageProps } from '../pages.ts'
import type { ScheduledTransaction } from '../answers.gen.ts'
import type { Tone } from '../../kit/controls.tsx'

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

export function ScheduledTransactionPage({ values: { id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/scheduled-transaction/{id}', { id })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Scheduled transaction"
        title={id}
        aside={found !== undefined && <Badge tone={scheduledTones[found.status]}>{humanize(found.status)}</Badge>}
      />
      <section className="panel" aria-label="Scheduled transaction">
        <Answer query={query} what="this scheduled transaction" rows={6}>
          {({ data: [scheduled] }) =>
            scheduled !== undefined && (
              <DetailList>
                <Detail name="Due">
                  <Moment at={scheduled.due_at} />
                </Detail>
                {scheduled.handler_type !== null && (
                  <Detail name="Handler">
                    <ContractLink identifier={contractOf(scheduled.handler_type)} />{' '}
                    <span className="soft wrap">{scheduled.handler_type}</span>
                  </Detail>
                )}
                {scheduled.handler_owner !== null && (
                  <Detail name="Owner">
                    <AccountLink address={scheduled.handler_owner} isWhole hasCopy />
                  </Detail>
                )}
                {scheduled.priority !== null && <Detail name="Priority">{humanize(scheduled.priority)}</Detail>}
                {scheduled.execution_effort !== null && (
                  <Detail name="Effort">{formatNumber(scheduled.execution_effort)} at most</Detail>
                )}
                <Detail name="Fees">
                  <Amount amount={scheduled.fees} unit="FLOW" />
                </Detail>
                {scheduled.error_message !== null && (
                  <Detail name="Error">
                    <pre className="error-text">{scheduled.error_message}</pre>
                  </Detail>
                )}
                {scheduled.changes.map(({ kind, block_height: height, timestamp, transaction_id: transaction }) => (
                  <Detail key={`${kind} ${height}`} name={humanize(kind)}>
                    <Moment at={timestamp} /> in block <BlockLink height={height} /> by{' '}
                    <TransactionLink id={transaction} height={height} />
                  </Detail>
                ))}
              </DetailList>
            )
          }
        </Answer>
      </section>
    </>
  )
}

/** The colours of what can have become of a scheduled transaction. */
const scheduledTones = {
  scheduled: 'busy',
  pending: 'warn',
  executed: 'good',
  failed: 'bad',
  canceled: 'neutral',
} as const satisfies Record<ScheduledTransaction['status'], Tone>
