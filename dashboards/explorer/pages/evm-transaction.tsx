import type { ReactNode } from 'react'
import { Ago } from '../../kit/time.tsx'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { EvmTransactionDetail } from '../answers.gen.ts'
import type { PageProps } from '../pages.ts'
import { AddressTabs, Detail, DetailList, PageTitle } from '../parts/page.tsx'
import { Answer } from '../parts/lists.tsx'
import { DecodedCall, EvmLogs, nameOfEvmTransaction, movedOf } from '../parts/evm.tsx'
import { BlockLink, EvmPartyLink, Identity, TransactionLink, Moment, ValueTree } from '../parts/values.tsx'
import { useAnswer } from '../api.ts'
import { formatUnits, shorten } from '../text.ts'

export function EvmTransactionPage({ values: { hash = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/evm/transaction/{hash}', { hash })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="EVM transaction"
        title={shorten(hash)}
        aside={
          found !== undefined && (
            <Badge tone={found.status === 'ok' ? 'good' : 'bad'}>{found.status === 'ok' ? 'Success' : 'Failed'}</Badge>
          )
        }
      >
        <Identity id={hash} what="hash" hasCopy />
      </PageTitle>
      <Answer query={query} what="this EVM transaction" rows={8}>
        {({ data: [transaction] }) =>
          transaction !== undefined && (
            <>
              <Story transaction={transaction} />
              <AddressTabs
                label="Parts of the EVM transaction"
                tabs={[
                  { name: 'summary', label: 'Summary', render: () => <Summary transaction={transaction} /> },
                  {
                    name: 'logs',
                    label: `Logs ${transaction.logs.length}`,
                    render: () => (
                      <section className="panel" aria-label="Logs">
                        <EvmLogs logs={transaction.logs} />
                      </section>
                    ),
                  },
                  { name: 'input', label: 'Input', render: () => <Input transaction={transaction} /> },
                ]}
              />
            </>
          )
        }
      </Answer>
    </>
  )
}

interface PartProps {
  readonly transaction: EvmTransactionDetail
}

function Story({ transaction }: PartProps): ReactNode {
  const {
    from,
    to,
    created_contract: created,
    value,
    fee,
    token_transfers: transfers,
    status,
    result,
    decoded_input: call,
  } = transaction
  const amount = value === null || value === '0' ? undefined : formatUnits(value, 18)
  const isPayment = to !== null && to.is_contract !== true && amount !== undefined
  return (
    <section className="panel story" aria-label="What happened">
      <h2>{nameOfEvmTransaction(transaction)}</h2>
      {status === 'error' && (
        <div className="banner bad">
          <p>It failed, and nothing of what it wanted happened. {result}</p>
        </div>
      )}
      <ul className="told">
        <li>
          <EvmPartyLink party={from} />{' '}
          {to === null ? (
            <>made a contract {created !== null && <EvmPartyLink party={created} />}</>
          ) : (
            <>
              {isPayment
                ? `sent ${amount} FLOW to`
                : call === null
                  ? 'called'
                  : `called ${nameOfEvmTransaction(transaction)} of`}{' '}
              <EvmPartyLink party={to} />
            </>
          )}
          {!isPayment && amount !== undefined && ` with ${amount} FLOW`}
        </li>
        {transfers.map((transfer) => (
          <li key={`${transfer.log_index} ${transfer.batch_index}`}>
            {movedOf(transfer)} went from <EvmPartyLink party={transfer.from} /> to <EvmPartyLink party={transfer.to} />
          </li>
        ))}
      </ul>
      <p>
        {fee === null
          ? 'Its gas is paid with the fee of the Flow transaction that it is part of. '
          : fee.value === '0'
            ? 'Its gas cost nothing. '
            : `Its gas cost ${formatUnits(fee.value, 18)} FLOW. `}
        It happened in block <BlockLink height={transaction.block_height} />, <Ago at={transaction.timestamp} />.
      </p>
    </section>
  )
}

function Summary({ transaction }: PartProps): ReactNode {
  const { gas_limit: limit, gas_price: price, nonce } = transaction
  return (
    <section className="panel" aria-label="Summary">
      <DetailList>
        <Detail name="Hash">
          <Identity id={transaction.hash} what="hash" isWhole hasCopy />
        </Detail>
        <Detail name="Flow transaction">
          <TransactionLink id={transaction.transaction_id} height={transaction.block_height} isWhole />
        </Detail>
        <Detail name="Block">
          <BlockLink height={transaction.block_height} />
          <span className="soft">, EVM block {formatNumber(transaction.block_number)}</span>
        </Detail>
        <Detail name="Time">
          <Moment at={transaction.timestamp} />
        </Detail>
        <Detail name="From">
          <EvmPartyLink party={transaction.from} isWhole />
        </Detail>
        <Detail name="To">
          <EvmPartyLink party={transaction.to ?? transaction.created_contract} isWhole />
        </Detail>
        {transaction.value !== null && <Detail name="Value">{formatUnits(transaction.value, 18)} FLOW</Detail>}
        <Detail name="Gas">
          {formatNumber(Number(transaction.gas_used))}
          {limit !== null && <span className="soft"> of {formatNumber(Number(limit))} at most</span>}
        </Detail>
        {price !== null && <Detail name="Price of gas">{formatUnits(price, 9)} gwei</Detail>}
        {nonce !== null && <Detail name="Nonce">{nonce}</Detail>}
        <Detail name="Type">{transaction.call_type ?? transaction.type}</Detail>
      </DetailList>
    </section>
  )
}

function Input({ transaction: { decoded_input: call, raw_input: raw } }: PartProps): ReactNode {
  return (
    <section className="panel" aria-label="Input">
      {call !== null && <DecodedCall call={call} />}
      <div className="panel-text">
        <h3>As it was sent</h3>
        <ValueTree value={raw ?? ''} />
      </div>
    </section>
  )
}
