import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import { Ago } from '../../kit/time.tsx'
import type { TransactionDetail } from '../answers.gen.ts'
import { Detail, DetailPanel } from '../parts/page.tsx'
import { Statements, nameOfTransaction } from '../parts/rows.tsx'
import { Amount, AccountLink, BlockLink, Identity, Moment, ContractLink, NoValue } from '../parts/values.tsx'
import { paths, humanize, formatDollars } from '../text.ts'
import {
  describeAccountChanges,
  describeEvmExecutions,
  describeNftTransfers,
  describeTokenTransfers,
  describeTrades,
  errorCause,
  isUserTransaction,
} from '../transfer-summary.ts'
import type { Sentence, Statement } from '../transfer-summary.ts'

interface TransactionProps {
  readonly transaction: TransactionDetail
}

export function TransactionFields({ transaction }: TransactionProps): ReactNode {
  const { payer, proposer, authorizers, scheduled_txs: scheduled, evm_hash: evmHash } = transaction
  return (
    <DetailPanel label="Summary">
      <Detail name="ID">
        <Identity id={transaction.id} what="transaction ID" isWhole hasCopy />
      </Detail>
      <Detail name="Block">
        <BlockLink height={transaction.block_height} />
        <span className="soft">, index {transaction.transaction_index}</span>
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
            key {transaction.proposer_key_index}, sequence number {transaction.proposer_sequence_number}
          </span>
        )}
      </Detail>
      <Detail name="Authorizers">
        {authorizers.length === 0 ? (
          <span className="soft">none</span>
        ) : (
          <ul className="chips">
            {authorizers.map((address) => (
              <li key={address}>
                <AccountLink address={address} isWhole />
              </li>
            ))}
          </ul>
        )}
      </Detail>
      <Detail name="Fee">
        <Amount amount={transaction.fee} unit="FLOW" />
      </Detail>
      <Detail name="Computation">
        {transaction.gas_used === null ? <NoValue /> : formatNumber(transaction.gas_used)}
        <span className="soft"> (limit: {formatNumber(transaction.gas_limit)})</span>
      </Detail>
      {evmHash !== null && (
        <Detail name="EVM transaction">
          <Identity id={evmHash} to={paths.evmTransaction(evmHash)} what="EVM transaction" isWhole />
        </Detail>
      )}
      {scheduled.map(({ scheduled_id: id, matched_by: match, handler_type: handler }) => (
        <Detail key={`${id} ${match}`} name="Scheduled transaction">
          <Link to={paths.scheduled(id)}>{id}</Link> <Badge>{humanize(match)}</Badge>{' '}
          {handler !== null && <span className="soft wrap">{handler}</span>}
        </Detail>
      ))}
      {transaction.error_message !== '' && (
        <Detail name="Error">
          <pre className="error-text">{transaction.error_message}</pre>
        </Detail>
      )}
    </DetailPanel>
  )
}

export function TransactionOverview({ transaction }: TransactionProps): ReactNode {
  const { block_height: height, timestamp, tags } = transaction
  const statements = [
    ...describeTrades(transaction.defi_events).map(withoutDetails),
    ...describeTokenTransfers(transaction.ft_transfers),
    ...describeNftTransfers(transaction.nft_transfers),
    ...describeEvmExecutions(transaction.evm_executions).map(withoutDetails),
    ...describeAccountChanges(transaction.events),
  ]
  const isFailed = transaction.execution_status === 'FAILURE'
  return (
    <section className="panel overview" aria-label="Overview">
      <h2>{nameOfTransaction(transaction)}</h2>
      {isFailed && (
        <div className="banner bad">
          <p>
            This transaction failed and its changes were reverted:{' '}
            <b className="wrap">{errorCause(transaction.error_message)}</b>
          </p>
        </div>
      )}
      {statements.length > 0 && <Statements statements={statements} />}
      {statements.length === 0 && !isFailed && <p className="soft">No tokens or NFTs were transferred.</p>}
      <p>
        <Fee transaction={transaction} /> <CalledContracts contracts={transaction.contract_imports} />
        Executed in block <BlockLink height={height} />, <Ago at={timestamp} />.
      </p>
      {tags.length > 0 && (
        <p className="button-row">
          {tags.map((tag) => (
            <Badge key={tag}>{humanize(tag)}</Badge>
          ))}
        </p>
      )}
    </section>
  )
}

function Fee({ transaction }: TransactionProps): ReactNode {
  const { fee, fee_usd: dollars, payer } = transaction
  if (!isUserTransaction(transaction)) return 'System transactions have no fee.'
  if (fee === null) return 'The fee is unknown.'
  if (Number(fee) === 0) return 'No fee was charged.'
  return (
    <>
      <AccountLink address={payer} /> paid a fee of <Amount amount={fee} unit="FLOW" />
      {dollars !== null && <span className="soft"> ({formatDollars(dollars)})</span>}.
    </>
  )
}

function CalledContracts({ contracts }: { readonly contracts: readonly string[] }): ReactNode {
  if (contracts.length === 0) return null
  return (
    <>
      Called{' '}
      {contracts.map((identifier, i) => (
        <span key={identifier}>
          {i > 0 && (i === contracts.length - 1 ? ' and ' : ', ')}
          <ContractLink identifier={identifier} />
        </span>
      ))}
      .{' '}
    </>
  )
}

function withoutDetails(summary: Sentence): Statement {
  return { summary, details: [] }
}
