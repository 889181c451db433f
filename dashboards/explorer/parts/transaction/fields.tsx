import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import { formatNumber } from '../../../kit/formats.ts'
import type { TransactionDetail } from '../../gen/answers.ts'
import { Link } from '../../../kit/link.tsx'
import { paths } from '../../paths.ts'
import { humanize } from '../../text.ts'
import { Amount } from '../amount.tsx'
import { Detail, DetailList } from '../detail-list.tsx'
import { AccountLink, BlockLink, Identity } from '../identity.tsx'
import { Moment } from '../moment.tsx'

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
