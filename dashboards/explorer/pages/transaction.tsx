import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { NothingHere } from '../../kit/state.tsx'
import type { TransactionDetail } from '../gen/answers.ts'
import { Link } from '../link.tsx'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Amount } from '../parts/amount.tsx'
import { Answer } from '../parts/answer.tsx'
import { Arguments } from '../parts/arguments.tsx'
import { CodeView } from '../parts/code-view.tsx'
import { Detail, DetailList } from '../parts/detail-list.tsx'
import { EventCards } from '../parts/event-cards.tsx'
import { EvmPart } from '../parts/evm-part.tsx'
import { AccountLink, BlockLink, ContractLink, Identity } from '../parts/identity.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Told } from '../parts/told.tsx'
import { nameOfTransaction, StatusBadge } from '../parts/transaction-row.tsx'
import { paths } from '../paths.ts'
import { useAnswer } from '../queries.ts'
import { formatDollars, humanize, shorten } from '../text.ts'
import { tellError, tellEvm, tellItems, tellTokens, tellTrades } from '../told-moves.ts'
import type { Sentence, Statement } from '../told-moves.ts'

/** A transaction, told in plain words first. An EVM hash leads to the transaction that it ran in. */
export function TransactionPage({ values: { id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/transaction/{id}', { id })
  return (
    <>
      <PageTitle
        kind="Transaction"
        title={shorten(query.data?.data[0]?.id ?? id)}
        aside={query.data?.data[0] !== undefined && <StatusBadge status={query.data.data[0].execution_status} />}
      />
      <Answer query={query} what="this transaction" rows={8}>
        {({ data: [transaction] }) => transaction !== undefined && <Parts transaction={transaction} />}
      </Answer>
    </>
  )
}

function Parts({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { events, script, arguments: values, evm_executions: executions } = transaction
  const given = Array.isArray(values) ? (values as readonly unknown[]) : []
  return (
    <>
      <Story transaction={transaction} />
      <AddressTabs
        label="Parts of the transaction"
        tabs={[
          { name: 'summary', label: 'Summary', render: () => <Summary transaction={transaction} /> },
          { name: 'events', label: `Events ${formatNumber(events.length)}`, render: () => <EventCards events={events} /> },
          { name: 'script', label: 'Script', render: () => <Script script={script} hash={transaction.script_hash} /> },
          { name: 'arguments', label: `Arguments ${given.length}`, render: () => <Arguments values={given} script={script} /> },
          ...(executions.length === 0
            ? []
            : [{ name: 'evm', label: `EVM ${executions.length}`, render: () => <EvmPart executions={executions} /> }]),
        ]}
      />
    </>
  )
}

function Story({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { fee, fee_usd: dollars, payer, contract_imports: contracts, execution_status: status } = transaction
  const statements = [
    ...tellTrades(transaction.defi_events).map(withoutDetails),
    ...tellTokens(transaction.ft_transfers),
    ...tellItems(transaction.nft_transfers),
    ...tellEvm(transaction.evm_executions).map(withoutDetails),
  ]
  return (
    <section className="panel story" aria-label="What happened">
      <h2>{nameOfTransaction(transaction)}</h2>
      {status === 'FAILURE' && (
        <div className="banner bad">
          <p>It failed, and nothing of what it wanted happened. {tellError(transaction.error_message)}</p>
        </div>
      )}
      {statements.length > 0 ? <Told statements={statements} /> : <p className="soft">No tokens and no NFTs were moved.</p>}
      <p>
        {fee === null ? (
          'What it cost is not known.'
        ) : Number(fee) === 0 ? (
          'It cost nothing.'
        ) : (
          <>
            It cost <AccountLink address={payer} /> <Amount amount={fee} unit="FLOW" />
            {dollars !== null && <span className="soft"> ({formatDollars(dollars)})</span>}.
          </>
        )}
        {contracts.length > 0 && (
          <>
            {' '}
            It called{' '}
            {contracts.map((identifier, i) => (
              <span key={identifier}>
                {i > 0 && (i === contracts.length - 1 ? ' and ' : ', ')}
                <ContractLink identifier={identifier} />
              </span>
            ))}
            .
          </>
        )}
      </p>
      {transaction.tags.length > 0 && (
        <p className="button-row">
          {transaction.tags.map((tag) => (
            <Badge key={tag}>{humanize(tag)}</Badge>
          ))}
        </p>
      )}
    </section>
  )
}

function withoutDetails(said: Sentence): Statement {
  return { said, details: [] }
}

function Summary({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { payer, proposer, authorizers, scheduled_txs: scheduled, evm_hash: evmHash } = transaction
  return (
    <section className="panel" aria-label="Summary">
      <DetailList>
        <Detail name="Id">
          <Identity id={transaction.id} what="transaction id" isWhole hasCopy />
        </Detail>
        <Detail name="Block">
          <BlockLink height={transaction.block_height} />
          <span className="soft">, at place {transaction.transaction_index}</span>
        </Detail>
        <Detail name="Time">
          <Moment at={transaction.timestamp} />
        </Detail>
        <Detail name="Payer">
          <AccountLink address={payer} isWhole hasCopy />
        </Detail>
        <Detail name="Proposer">
          <AccountLink address={proposer} isWhole />
          {transaction.proposer_key_index !== null && (
            <span className="soft">
              {' '}
              with key {transaction.proposer_key_index}, number {transaction.proposer_sequence_number}
            </span>
          )}
        </Detail>
        <Detail name="Authorizers">
          {authorizers.length === 0 ? (
            <span className="soft">nobody</span>
          ) : (
            <ul className="chips">
              {authorizers.map((address) => (
                <li key={address}>
                  <AccountLink address={address} />
                </li>
              ))}
            </ul>
          )}
        </Detail>
        <Detail name="Fee">
          <Amount amount={transaction.fee} unit="FLOW" />
        </Detail>
        <Detail name="Computation">
          {transaction.gas_used === null ? '–' : formatNumber(transaction.gas_used)}
          <span className="soft"> of {formatNumber(transaction.gas_limit)} at most</span>
        </Detail>
        {evmHash !== null && (
          <Detail name="EVM transaction">
            <Identity id={evmHash} to={paths.evmTransaction(evmHash)} what="EVM transaction" isWhole />
          </Detail>
        )}
        {scheduled.map(({ scheduled_id: each, matched_by: how, handler_type: handler }) => (
          <Detail key={`${each} ${how}`} name="Scheduled">
            <Link to={paths.scheduled(each)}>{each}</Link> <Badge>{how}</Badge>{' '}
            {handler !== null && <span className="soft wrap">{handler}</span>}
          </Detail>
        ))}
        {transaction.error_message !== '' && (
          <Detail name="Error">
            <pre className="error-text">{transaction.error_message}</pre>
          </Detail>
        )}
      </DetailList>
    </section>
  )
}

function Script({ script, hash }: { readonly script: string | null; readonly hash: string }): ReactNode {
  const kept = useAnswer('/flow/script/{hash}', { hash }, { isOn: script === null && hash !== '' })
  const text = script ?? kept.data?.data[0]?.script_text
  return (
    <section className="panel" aria-label="Script">
      {text === undefined || text === '' ? (
        <NothingHere title="No script">The text of this transaction is not kept here.</NothingHere>
      ) : (
        <CodeView code={text} label="script" />
      )}
    </section>
  )
}
