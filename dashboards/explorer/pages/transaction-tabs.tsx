import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { TransactionDetail } from '../answers.gen.ts'
import { Link } from '../../kit/router.tsx'
import { paths, humanize, formatDollars } from '../text.ts'
import { Amount, AccountLink, BlockLink, Identity, Moment, ContractLink } from '../parts/values.tsx'
import { Detail, DetailList } from '../parts/page.tsx'
import { Ago } from '../../kit/time.tsx'
import {
  tellChanges,
  tellError,
  tellEvm,
  tellItems,
  tellTokens,
  tellTrades,
  isUserTransaction,
} from '../transfer-summary.ts'
import type { Sentence, Statement } from '../transfer-summary.ts'
import { Told, nameOfTransaction } from '../parts/rows.tsx'

/** What a transaction's envelope says, field by field. */
export function TransactionFields({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { payer, proposer, authorizers, scheduled_txs: scheduled, evm_hash: evmHash } = transaction
  return (
    <section className="panel" aria-label="Summary">
      <DetailList>
        <Detail name="Id">
          <Identity id={transaction.id} what="transaction id" isWhole hasCopy />
        </Detail>
        <Detail name="Block">
          <BlockLink height={transaction.block_height} />
          <span className="soft">, at position {transaction.transaction_index}</span>
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
            <Link to={paths.scheduled(each)}>{each}</Link> <Badge>{humanize(how)}</Badge>{' '}
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

interface PartProps {
  readonly transaction: TransactionDetail
}

/** A transaction in plain words: who moved what to whom, what came of it, what it called and what it cost. */
export function TransactionStory({ transaction }: PartProps): ReactNode {
  const { block_height: height, timestamp, tags } = transaction
  const statements = [
    ...tellTrades(transaction.defi_events).map(withoutDetails),
    ...tellTokens(transaction.ft_transfers),
    ...tellItems(transaction.nft_transfers),
    ...tellEvm(transaction.evm_executions).map(withoutDetails),
    ...tellChanges(transaction.events),
  ]
  const isFailed = transaction.execution_status === 'FAILURE'
  return (
    <section className="panel story" aria-label="What happened">
      <h2>{nameOfTransaction(transaction)}</h2>
      {isFailed && (
        <div className="banner bad">
          <p>
            It failed, and nothing of what it wanted happened:{' '}
            <b className="wrap">{tellError(transaction.error_message)}</b>
          </p>
        </div>
      )}
      {statements.length > 0 && <Told statements={statements} />}
      {statements.length === 0 && !isFailed && <p className="soft">No tokens and no NFTs were moved.</p>}
      <p>
        <Cost transaction={transaction} /> <Calls contracts={transaction.contract_imports} />
        It happened in block <BlockLink height={height} />, <Ago at={timestamp} />.
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

function Cost({ transaction }: PartProps): ReactNode {
  const { fee, fee_usd: dollars, payer } = transaction
  if (!isUserTransaction(transaction)) return 'The chain does this by itself, and nobody pays for it.'
  if (fee === null) return 'What it cost is not known.'
  if (Number(fee) === 0) return 'It cost nothing.'
  return (
    <>
      <AccountLink address={payer} /> paid a fee of <Amount amount={fee} unit="FLOW" />
      {dollars !== null && <span className="soft"> ({formatDollars(dollars)})</span>}.
    </>
  )
}

function Calls({ contracts }: { readonly contracts: readonly string[] }): ReactNode {
  if (contracts.length === 0) return null
  return (
    <>
      It called{' '}
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

function withoutDetails(said: Sentence): Statement {
  return { said, details: [] }
}
