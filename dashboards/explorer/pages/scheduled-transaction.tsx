import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { PageProps } from '../pages.ts'
import { Amount } from '../parts/amount.tsx'
import { Answer } from '../parts/answer.tsx'
import { Detail, DetailList } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, ContractLink, TransactionLink } from '../parts/identity.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useAnswer } from '../queries.ts'
import { contractOf, humanize } from '../text.ts'
import { scheduledTones } from '../parts/scheduled-tones.ts'

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
