import type { ReactNode } from 'react'
import { useState } from 'react'
import { ListPanel, Answer } from '../parts/lists.tsx'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { PageTitle, AddressTabs, Detail, DetailList } from '../parts/page.tsx'
import { TransactionRow, transactionColumns, StatusBadge } from '../parts/rows.tsx'
import { itemsOf, useList, useAnswer } from '../api.ts'
import { ApiProblem } from '../../kit/api.ts'
import { isUserTransaction } from '../transfer-summary.ts'
import { Button } from '../../kit/controls.tsx'
import { scriptParameters } from '../../kit/code-tokens.ts'
import { formatNumber, formatCount } from '../../kit/formats.ts'
import { EmptyState } from '../../kit/state.tsx'
import { plainValue } from '../cadence-value.ts'
import type { TransactionDetail, Event, EvmExecution } from '../answers.gen.ts'
import type { PageProps } from '../pages.ts'
import { CodeView } from '../../kit/code.tsx'
import { DecodedCall, EvmLogs } from '../parts/evm.tsx'
import { BlockLink, Identity, ContractLink, AccountLink, EvmTransactionLink, ValueTree } from '../parts/values.tsx'
import { TransactionFields, TransactionStory } from './transaction-tabs.tsx'
import { paths, shorten, contractOf, formatUnits } from '../text.ts'

export function TransactionsPage(): ReactNode {
  const [shown, show] = useSearchValue('show')
  const list = useList('/flow/transaction', { limit: 60 })
  const hasAll = shown === 'all'
  return (
    <>
      <PageTitle
        title="Transactions"
        aside={
          <nav className="button-row" aria-label="Other transactions">
            <Link className="button" to="/scheduled">
              Scheduled
            </Link>
            <Link className="button" to="/evm">
              EVM
            </Link>
          </nav>
        }
      />
      <ListPanel
        list={list}
        what="transactions"
        columns={transactionColumns}
        header={
          <header>
            <label className="check-label">
              <input
                type="checkbox"
                className="check"
                checked={hasAll}
                onChange={({ target }) => show(target.checked ? 'all' : '')}
              />
              Also those that the chain makes by itself in each block
            </label>
          </header>
        }
        isShown={(transaction) => hasAll || isUserTransaction(transaction)}
        whenEmpty={
          itemsOf(list).length > 0
            ? 'Nobody sent anything of late: all that there is, the chain made by itself.'
            : 'The first ones show up as soon as blocks with transactions are indexed.'
        }
        renderRow={(transaction) => (
          <TransactionRow key={`${transaction.block_height} ${transaction.id}`} transaction={transaction} />
        )}
      />
    </>
  )
}

/** A transaction, told in plain words first. An EVM hash leads to the transaction that it ran in. */
export function TransactionPage({ values: { id = '' } }: PageProps): ReactNode {
  const [height] = useSearchValue('height')
  const ofHeight = useAnswer('/flow/transaction/{id}', { id, height })
  // A reorganization may have moved it since the link was made.
  const isElsewhere = height !== '' && ofHeight.error instanceof ApiProblem && ofHeight.error.status === 404
  const anywhere = useAnswer('/flow/transaction/{id}', { id }, { isOn: isElsewhere })
  const query = isElsewhere ? anywhere : ofHeight
  const transaction = query.data?.data[0]
  const whole = transaction?.id ?? id
  return (
    <>
      <PageTitle
        kind="Transaction"
        title={shorten(whole)}
        aside={transaction !== undefined && <StatusBadge status={transaction.execution_status} />}
      >
        <Identity id={whole} what="transaction id" hasCopy={transaction !== undefined} />
      </PageTitle>
      <Answer query={query} what="this transaction" rows={8}>
        {({ data: [found] }) => found !== undefined && <Parts transaction={found} />}
      </Answer>
    </>
  )
}

function Parts({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { events, script, script_hash: hash, arguments: values, evm_executions: executions } = transaction
  const given = Array.isArray(values) ? (values as readonly unknown[]) : []
  return (
    <>
      <TransactionStory transaction={transaction} />
      {transaction.other_heights.length > 0 && (
        <p className="soft">
          This system transaction has the same id in other blocks. This is the one in block{' '}
          <BlockLink height={transaction.block_height} />. Others:{' '}
          {transaction.other_heights.map((height, i) => (
            <span key={height}>
              {i > 0 && ', '}
              <Link to={paths.transaction(transaction.id, height)}>{formatNumber(height)}</Link>
            </span>
          ))}
        </p>
      )}
      <AddressTabs
        label="Parts of the transaction"
        tabs={[
          { name: 'summary', label: 'Summary', render: () => <TransactionFields transaction={transaction} /> },
          {
            name: 'events',
            label: `Events ${formatNumber(events.length)}`,
            render: () => <EventCards events={events} />,
          },
          { name: 'script', label: 'Script', render: () => <TransactionScript script={script} hash={hash} /> },
          {
            name: 'arguments',
            label: `Arguments ${given.length}`,
            render: () => <Arguments values={given} script={script} />,
          },
          ...(executions.length === 0
            ? []
            : [{ name: 'evm', label: `EVM ${executions.length}`, render: () => <EvmPart executions={executions} /> }]),
        ]}
      />
    </>
  )
}

interface TransactionScriptProps {
  /** Null where the answer left it out: then it is asked for by its hash. */
  readonly script: string | null
  readonly hash: string
}

/** The Cadence that a transaction ran. */
function TransactionScript({ script, hash }: TransactionScriptProps): ReactNode {
  return (
    <section className="panel" aria-label="Script">
      {script === null && hash !== '' ? <KeptScript hash={hash} /> : <Code text={script ?? ''} />}
    </section>
  )
}

function KeptScript({ hash }: { readonly hash: string }): ReactNode {
  const query = useAnswer('/flow/script/{hash}', { hash })
  return (
    <Answer query={query} what="the script of this transaction">
      {({ data: [kept] }) => <Code text={kept?.script_text ?? ''} />}
    </Answer>
  )
}

function Code({ text }: { readonly text: string }): ReactNode {
  if (text === '') return <EmptyState title="No script">The text of this transaction is not kept here.</EmptyState>
  return <CodeView code={text} label="script" />
}

interface ArgumentsProps {
  /** As JSON-Cadence. */
  readonly values: readonly unknown[]
  readonly script: string | null
}

/** What a transaction was given, with the names that its script has for it. */
function Arguments({ values, script }: ArgumentsProps): ReactNode {
  const parameters = script === null ? [] : scriptParameters(script)
  return (
    <section className="panel" aria-label="Arguments">
      {values.length === 0 ? (
        <EmptyState title="No arguments">This transaction was given nothing.</EmptyState>
      ) : (
        <dl className="details">
          {values.map((value, i) => (
            <div key={i}>
              <dt>
                {parameters[i]?.name ?? `Argument ${i + 1}`}
                {parameters[i] !== undefined && <code className="note">{parameters[i].type}</code>}
              </dt>
              <dd>
                <ValueTree value={plainValue(value)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

const shownAtFirst = 30

/** The events of a transaction, in order; those that hold a word, where one is looked for. */
function EventCards({ events }: { readonly events: readonly Event[] }): ReactNode {
  const [text, setText] = useState('')
  const [max, setMax] = useState(shownAtFirst)
  const wanted = text.trim().toLowerCase()
  const fitting =
    wanted === '' ? events : events.filter((event) => JSON.stringify(event).toLowerCase().includes(wanted))
  return (
    <section className="panel" aria-label="Events">
      {events.length > 8 && (
        <header>
          <label className="field grow">
            <span>Show events with</span>
            <input className="input" type="search" value={text} onChange={(event) => setText(event.target.value)} />
          </label>
          <span className="soft" role="status">
            {formatCount(fitting.length, 'event')}
          </span>
        </header>
      )}
      {fitting.length === 0 && <EmptyState title={events.length === 0 ? 'No events' : 'No event has this in it'} />}
      <ol className="events">
        {fitting.slice(0, max).map((event) => (
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
      {fitting.length > max && (
        <footer>
          <Button onClick={() => setMax(max + 100)}>More events</Button>
        </footer>
      )}
    </section>
  )
}

/** What ran in the EVM, with what its contracts told. */
function EvmPart({ executions }: { readonly executions: readonly EvmExecution[] }): ReactNode {
  return (
    <>
      {executions.map((execution) => (
        <Execution key={execution.hash} execution={execution} />
      ))}
    </>
  )
}

function Execution({ execution }: { readonly execution: EvmExecution }): ReactNode {
  const query = useAnswer('/flow/evm/transaction/{hash}', { hash: execution.hash })
  return (
    <section className="panel" aria-label={`EVM transaction ${execution.hash}`}>
      <header>
        <h2>
          EVM transaction <EvmTransactionLink hash={execution.hash} hasCopy />
        </h2>
        <StatusBadge status={execution.status} />
      </header>
      <DetailList>
        <Detail name="From">{execution.from === null ? '–' : <AccountLink address={execution.from} isWhole />}</Detail>
        <Detail name="To">
          {execution.to === null ? (
            <span className="soft">a new contract</span>
          ) : (
            <AccountLink address={execution.to} isWhole />
          )}
        </Detail>
        {execution.value !== null && <Detail name="Value">{formatUnits(execution.value, 18)} FLOW</Detail>}
        <Detail name="Gas">
          {formatNumber(Number(execution.gas_used))}
          {execution.gas_limit !== null && (
            <span className="soft"> of {formatNumber(Number(execution.gas_limit))} at most</span>
          )}
        </Detail>
        {execution.error_message !== null && <Detail name="Error">{execution.error_message}</Detail>}
      </DetailList>
      <Answer query={query} what="the EVM transaction" rows={2}>
        {({ data: [detail] }) =>
          detail !== undefined && (
            <>
              {detail.decoded_input !== null && <DecodedCall call={detail.decoded_input} />}
              <EvmLogs logs={detail.logs} />
            </>
          )
        }
      </Answer>
    </section>
  )
}
