import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import type { Tone } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import type { ScheduledHandler, ScheduledTransaction } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { accountFilter, useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ItemResult, TableList } from '../parts/lists.tsx'
import { PageTitle, Detail, DetailList, UrlTabs } from '../parts/page.tsx'
import {
  Amount,
  AccountLink,
  Moment,
  BlockLink,
  ContractLink,
  NoValue,
  OptionalAccountLink,
  TransactionLink,
} from '../parts/values.tsx'
import { paths, contractNameOf, humanize, contractOf } from '../text.ts'

const tones = {
  scheduled: 'busy',
  pending: 'warn',
  executed: 'good',
  failed: 'bad',
  canceled: 'neutral',
} as const satisfies Record<ScheduledTransaction['status'], Tone>

const columns: readonly Column<ItemOf<'/flow/scheduled-transaction'>>[] = [
  { name: 'ID', cell: ({ id }) => <Link to={paths.scheduled(id)}>{id}</Link> },
  { name: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{humanize(status)}</Badge> },
  {
    name: 'Handler',
    cell: ({ handler_type: type }) => (type === null ? <NoValue /> : <span title={type}>{contractNameOf(type)}</span>),
  },
  { name: 'Owner', cell: ({ handler_owner: owner }) => <OptionalAccountLink address={owner} /> },
  { name: 'Due', cell: ({ due_at: due }) => <Moment at={due} /> },
  { name: 'Fees in FLOW', cell: ({ fees }) => <Amount amount={fees} />, isNumber: true },
]

export function ScheduledPage(): ReactNode {
  return (
    <>
      <PageTitle title="Scheduled transactions" />
      <p className="lead">Transactions that contracts scheduled for later execution by the chain.</p>
      <UrlTabs
        label="Scheduled transactions"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <ScheduledTransactions /> },
          { name: 'handlers', label: 'Handlers', render: () => <Handlers /> },
        ]}
      />
    </>
  )
}

const filters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    options: Object.fromEntries(Object.keys(tones).map((status) => [status, humanize(status)])),
  },
  accountFilter('owner', 'Owner'),
  {
    kind: 'text',
    name: 'handler',
    label: 'Handler',
    hint: 'UUID, a whole number',
    pattern: String.raw`\s*\d{1,18}\s*`,
  },
]

function ScheduledTransactions(): ReactNode {
  return (
    <TableList
      list={useList('/flow/scheduled-transaction', { ...useFilterValues(filters), limit: 25 })}
      filters={filters}
      what="scheduled transactions"
      columns={columns}
      itemKey={({ id }) => id}
      emptyText="Scheduled transactions will appear here."
    />
  )
}

const handlerColumns: readonly Column<ScheduledHandler>[] = [
  {
    name: 'Handler',
    cell: ({ handler_uuid: uuid, handler_type: type }) => (
      <Link to={`/scheduled?handler=${uuid}`} title={type ?? uuid}>
        {type === null ? uuid : type.split('.').slice(2).join('.')}
      </Link>
    ),
  },
  {
    name: 'Contract',
    cell: ({ handler_type: type }) => (type === null ? <NoValue /> : <ContractLink identifier={contractOf(type)} />),
  },
  { name: 'Owner', cell: ({ handler_owner: owner }) => <OptionalAccountLink address={owner} /> },
  { name: 'First', cell: ({ first: { id } }) => <Link to={paths.scheduled(id)}>{id}</Link>, isNumber: true },
  { name: 'Latest', cell: ({ latest: { id } }) => <Link to={paths.scheduled(id)}>{id}</Link>, isNumber: true },
  {
    name: 'Latest status',
    cell: ({ latest: { status } }) => <Badge tone={tones[status]}>{humanize(status)}</Badge>,
  },
]

function Handlers(): ReactNode {
  return (
    <TableList
      list={useList('/flow/scheduled-handler', { limit: 25 })}
      what="handlers"
      columns={handlerColumns}
      itemKey={({ handler_uuid: uuid }) => uuid}
      emptyText="Handlers are the resources that scheduled transactions call. They will appear here."
    />
  )
}

export function ScheduledTransactionPage({ values: { id = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/scheduled-transaction/{id}', { id })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Scheduled transaction"
        title={id}
        aside={found !== undefined && <Badge tone={tones[found.status]}>{humanize(found.status)}</Badge>}
      />
      <section className="panel" aria-label="Scheduled transaction">
        <ItemResult query={query} what="this scheduled transaction" rows={6}>
          {(scheduled) => (
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
                <Detail name="Execution effort limit">{formatNumber(scheduled.execution_effort)}</Detail>
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
          )}
        </ItemResult>
      </section>
    </>
  )
}
