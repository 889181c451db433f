import type { ReactNode } from 'react'
import { useState } from 'react'
import { ApiProblem } from '../../kit/api.ts'
import { scriptParameters } from '../../kit/code-tokens.ts'
import { Button } from '../../kit/controls.tsx'
import { formatNumber, formatCount } from '../../kit/formats.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import type { TransactionDetail, Event, EvmExecution } from '../answers.gen.ts'
import { itemsOf, useList, useApi } from '../api.ts'
import { plainValue } from '../cadence-value.ts'
import type { PageProps } from '../pages.ts'
import { DecodedCall, EvmLogs } from '../parts/evm.tsx'
import { accountFilter, useClearFilters, useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ItemResult } from '../parts/lists.tsx'
import { PageTitle, UrlTabs, Detail, DetailList } from '../parts/page.tsx'
import { StatusBadge, transactionFilters, TransactionList, nameOfTransaction } from '../parts/rows.tsx'
import { ScriptPanel } from '../parts/script.tsx'
import { ShareButton } from '../parts/share.tsx'
import {
  BlockLink,
  Identity,
  ContractLink,
  AccountLink,
  EvmTransactionLink,
  OptionalAccountLink,
  ValueTree,
} from '../parts/values.tsx'
import { paths, shorten, contractOf, formatUnits } from '../text.ts'
import { isUserTransaction } from '../transfer-summary.ts'
import { BalanceChanges, RawTransaction, TransactionFields, TransactionOverview } from './transaction-tabs.tsx'

const filters: readonly Filter[] = [
  ...transactionFilters,
  accountFilter('payer', 'Payer'),
  accountFilter('proposer', 'Proposer'),
  accountFilter('authorizers', 'Authorizer'),
  { kind: 'contract', name: 'contract', label: 'Contract' },
]

export function TransactionsPage(): ReactNode {
  const [shown, show] = useSearchValue('show')
  const list = useList('/flow/transaction', { limit: 60, ...useFilterValues(filters) })
  const { data: status } = useApi('/status')
  const isFiltered = useClearFilters(filters) !== undefined
  const includesSystem = shown === 'all'
  return (
    <>
      <PageTitle
        title="Transactions"
        aside={
          <nav className="button-row" aria-label="Other transactions">
            <Link className="button" to="/transfers">
              Transfers
            </Link>
            <Link className="button" to="/events">
              Events
            </Link>
            <Link className="button" to="/scheduled">
              Scheduled
            </Link>
            <Link className="button" to="/evm">
              EVM
            </Link>
          </nav>
        }
      />
      <TransactionList
        list={list}
        filters={filters}
        tools={
          <label className="check-label">
            <input
              type="checkbox"
              className="check"
              checked={includesSystem}
              onChange={({ target }) => show(target.checked ? 'all' : '')}
            />
            Include system transactions
          </label>
        }
        total={includesSystem && status !== undefined ? { count: status.total_transactions } : undefined}
        isShown={(transaction) => includesSystem || isUserTransaction(transaction)}
        emptyText={
          itemsOf(list).length > 0 && !isFiltered
            ? 'No user transactions yet, only system transactions.'
            : 'Transactions will appear here as soon as blocks are indexed.'
        }
      />
    </>
  )
}

export function TransactionPage({ values: { id = '' } }: PageProps): ReactNode {
  const [height] = useSearchValue('height')
  const atHeight = useApi('/flow/transaction/{id}', { id, height })
  // A reorganization may have moved it since the link was created.
  const isElsewhere = height !== '' && atHeight.error instanceof ApiProblem && atHeight.error.status === 404
  const anywhere = useApi('/flow/transaction/{id}', { id }, { isEnabled: isElsewhere })
  const query = isElsewhere ? anywhere : atHeight
  const transaction = query.data?.data[0]
  const fullId = transaction?.id ?? id
  return (
    <>
      <PageTitle
        kind="Transaction"
        title={shorten(fullId)}
        aside={
          transaction !== undefined && (
            <div className="button-row">
              <StatusBadge status={transaction.execution_status} />
              <ShareButton path={`/transaction/${fullId}`} title={`Transaction ${shorten(fullId)}`} />
            </div>
          )
        }
      >
        <Identity id={fullId} what="transaction ID" hasCopy={transaction !== undefined} />
      </PageTitle>
      <ItemResult query={query} what="this transaction" rows={8}>
        {(found) => <TransactionView transaction={found} />}
      </ItemResult>
    </>
  )
}

function TransactionView({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { events, script, arguments: values, evm_executions: executions } = transaction
  const args = Array.isArray(values) ? (values as readonly unknown[]) : []
  return (
    <>
      <TransactionOverview transaction={transaction} />
      {transaction.other_heights.length > 0 && (
        <p className="soft">
          System transactions can have the same ID in several blocks. This one is in block{' '}
          <BlockLink height={transaction.block_height} />. Other blocks:{' '}
          {transaction.other_heights.map((height, i) => (
            <span key={height}>
              {i > 0 && ', '}
              <Link to={paths.transaction(transaction.id, height)}>{formatNumber(height)}</Link>
            </span>
          ))}
        </p>
      )}
      <UrlTabs
        label="Transaction"
        tabs={[
          { name: 'summary', label: 'Summary', render: () => <TransactionFields transaction={transaction} /> },
          { name: 'balances', label: 'Balance changes', render: () => <BalanceChanges transaction={transaction} /> },
          {
            name: 'events',
            label: `Events ${formatNumber(events.length)}`,
            render: () => <EventCards events={events} />,
          },
          { name: 'script', label: 'Script', render: () => <TransactionScript transaction={transaction} /> },
          {
            name: 'arguments',
            label: `Arguments ${args.length}`,
            render: () => <Arguments values={args} script={script} />,
          },
          ...(executions.length === 0
            ? []
            : [
                {
                  name: 'evm',
                  label: `EVM ${executions.length}`,
                  render: () => executions.map((each) => <Execution key={each.hash} execution={each} />),
                },
              ]),
          { name: 'raw', label: 'Raw', render: () => <RawTransaction transaction={transaction} /> },
        ]}
      />
    </>
  )
}

function TransactionScript({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { script, script_hash: hash } = transaction
  return (
    <ScriptPanel text={script ?? ''} title={<Link to={paths.script(hash)}>{nameOfTransaction(transaction)}</Link>} />
  )
}

interface ArgumentsProps {
  /** JSON-Cadence. */
  readonly values: readonly unknown[]
  readonly script: string | null
}

function Arguments({ values, script }: ArgumentsProps): ReactNode {
  const parameters = script === null ? [] : scriptParameters(script)
  return (
    <section className="panel" aria-label="Arguments">
      {values.length === 0 ? (
        <EmptyState title="No arguments">This transaction takes no arguments.</EmptyState>
      ) : (
        <DetailList>
          {values.map((value, i) => (
            <Detail
              key={i}
              name={
                <>
                  {parameters[i]?.name ?? `Argument ${i + 1}`}
                  {parameters[i] !== undefined && <code className="note">{parameters[i].type}</code>}
                </>
              }
            >
              <ValueTree value={plainValue(value)} />
            </Detail>
          ))}
        </DetailList>
      )}
    </section>
  )
}

const initialEvents = 30

function EventCards({ events }: { readonly events: readonly Event[] }): ReactNode {
  const [text, setText] = useState('')
  const [limit, setLimit] = useState(initialEvents)
  const filter = text.trim().toLowerCase()
  const matching =
    filter === '' ? events : events.filter((event) => JSON.stringify(event).toLowerCase().includes(filter))
  return (
    <section className="panel" aria-label="Events">
      {events.length > 8 && (
        <header>
          <label className="field grow">
            <span>Filter events</span>
            <input className="input" type="search" value={text} onChange={(event) => setText(event.target.value)} />
          </label>
          <span className="soft" role="status">
            {formatCount(matching.length, 'event')}
          </span>
        </header>
      )}
      {matching.length === 0 && <EmptyState title={events.length === 0 ? 'No events' : 'No matching events'} />}
      <ol className="events">
        {matching.slice(0, limit).map((event) => (
          <li key={event.event_index} id={`event-${event.event_index}`}>
            <h3>
              <span className="soft">{event.event_index}</span>{' '}
              {event.contract_address === null ? (
                event.type
              ) : (
                <>
                  <ContractLink identifier={contractOf(event.type)} />.{event.event_name}
                </>
              )}
            </h3>
            <ValueTree value={event.payload} />
          </li>
        ))}
      </ol>
      {matching.length > limit && (
        <footer>
          <Button onClick={() => setLimit(limit + 100)}>Show more events</Button>
        </footer>
      )}
    </section>
  )
}

function Execution({ execution }: { readonly execution: EvmExecution }): ReactNode {
  const query = useApi('/flow/evm/transaction/{hash}', { hash: execution.hash })
  return (
    <section className="panel" aria-label={`EVM transaction ${execution.hash}`}>
      <header>
        <h2>
          EVM transaction <EvmTransactionLink hash={execution.hash} hasCopy />
        </h2>
        <StatusBadge status={execution.status} />
      </header>
      <DetailList>
        <Detail name="From">
          <OptionalAccountLink address={execution.from} isWhole />
        </Detail>
        <Detail name="To">
          {execution.to === null ? (
            <span className="soft">new contract</span>
          ) : (
            <AccountLink address={execution.to} isWhole />
          )}
        </Detail>
        {execution.value !== null && <Detail name="Value">{formatUnits(execution.value, 18)} FLOW</Detail>}
        <Detail name="Gas used">
          {formatNumber(Number(execution.gas_used))}
          {execution.gas_limit !== null && (
            <span className="soft"> (limit: {formatNumber(Number(execution.gas_limit))})</span>
          )}
        </Detail>
        {execution.error_message !== null && <Detail name="Error">{execution.error_message}</Detail>}
      </DetailList>
      <ItemResult query={query} what="the EVM transaction" rows={2}>
        {({ decoded_input: call, logs }) => (
          <>
            {call !== null && <DecodedCall call={call} />}
            <EvmLogs logs={logs} />
          </>
        )}
      </ItemResult>
    </section>
  )
}
