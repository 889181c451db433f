import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Ago } from '../../kit/time.tsx'
import type { EvmTokenTransfer, EvmTransactionDetail } from '../answers.gen.ts'
import { useApi } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { DecodedCall, EvmLogs, nameOfEvmTransaction, transactionTypes, TransferredAsset } from '../parts/evm.tsx'
import { ItemResult } from '../parts/lists.tsx'
import { UrlTabs, Detail, DetailPanel, PageTitle } from '../parts/page.tsx'
import {
  BlockLink,
  EvmBlockLink,
  EvmPartyLink,
  Identity,
  TransactionLink,
  Moment,
  ValueTree,
} from '../parts/values.tsx'
import { formatUnits, shorten } from '../text.ts'

export function EvmTransactionPage({ values: { hash = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/evm/transaction/{hash}', { hash })
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
      <ItemResult query={query} what="this EVM transaction" rows={8}>
        {(transaction) => (
          <>
            <Overview transaction={transaction} />
            <UrlTabs
              label="EVM transaction"
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
        )}
      </ItemResult>
    </>
  )
}

interface TransactionProps {
  readonly transaction: EvmTransactionDetail
}

function Overview({ transaction }: TransactionProps): ReactNode {
  const { from, to, created_contract: created, value, token_transfers: transfers, status, result } = transaction
  const name = nameOfEvmTransaction(transaction)
  const amount = value === null || value === '0' ? undefined : formatUnits(value, 18)
  const isPayment = to !== null && to.is_contract !== true && amount !== undefined
  const call = transaction.decoded_input === null ? 'called' : `called ${name} on`
  return (
    <section className="panel overview" aria-label="Overview">
      <h2>{name}</h2>
      {status === 'error' && (
        <div className="banner bad">
          <p>This transaction failed and its changes were reverted. {result}</p>
        </div>
      )}
      <ul className="statements">
        <li>
          <EvmPartyLink party={from} />{' '}
          {to === null ? (
            <>deployed a contract {created !== null && <EvmPartyLink party={created} />}</>
          ) : (
            <>
              {isPayment ? `sent ${amount} FLOW to` : call} <EvmPartyLink party={to} />
            </>
          )}
          {!isPayment && amount !== undefined && ` with ${amount} FLOW`}
        </li>
        {transfers.map((transfer) => (
          <li key={`${transfer.log_index} ${transfer.batch_index}`}>
            <TransferStatement transfer={transfer} />
          </li>
        ))}
      </ul>
      <p>
        {gasFeeText(transaction)} Executed in block <BlockLink height={transaction.block_height} />,{' '}
        <Ago at={transaction.timestamp} />.
      </p>
    </section>
  )
}

function TransferStatement({ transfer }: { readonly transfer: EvmTokenTransfer }): ReactNode {
  const { from, to } = transfer
  const asset = <TransferredAsset transfer={transfer} />
  if (from === null) {
    return (
      <>
        <EvmPartyLink party={to} /> received {asset}, newly minted
      </>
    )
  }
  return (
    <>
      <EvmPartyLink party={from} />{' '}
      {to === null ? (
        <>burned {asset}</>
      ) : (
        <>
          sent {asset} to <EvmPartyLink party={to} />
        </>
      )}
    </>
  )
}

function gasFeeText({ fee }: EvmTransactionDetail): string {
  if (fee === null) return 'Gas is paid with the fee of the enclosing Flow transaction.'
  return fee.value === '0' ? 'No gas fee was charged.' : `Gas fee: ${formatUnits(fee.value, 18)} FLOW.`
}

function typeNameOf({ type, call_type: call }: EvmTransactionDetail): string {
  return call === null ? (transactionTypes[type] ?? String(type)) : `Direct call from Cadence: ${call}`
}

/** With the address, also of named ones. */
function Party({ party }: { readonly party: EvmTransactionDetail['from'] }): ReactNode {
  return (
    <>
      <EvmPartyLink party={party} isWhole />{' '}
      {party !== null && party.name !== null && <Identity id={party.hash} what="address" isWhole hasCopy />}
    </>
  )
}

function Summary({ transaction }: TransactionProps): ReactNode {
  const { gas_limit: limit, effective_gas_price: price, nonce, fee } = transaction
  const { max_fee_per_gas: cap, max_priority_fee_per_gas: tip } = transaction
  return (
    <DetailPanel label="Summary">
      <Detail name="Hash">
        <Identity id={transaction.hash} what="hash" isWhole hasCopy />
      </Detail>
      <Detail name="Flow transaction">
        <TransactionLink id={transaction.transaction_id} height={transaction.block_height} isWhole />
      </Detail>
      <Detail name="Block">
        <BlockLink height={transaction.block_height} />, EVM block <EvmBlockLink number={transaction.block_number} />
      </Detail>
      <Detail name="Time">
        <Moment at={transaction.timestamp} />
      </Detail>
      <Detail name="From">
        <Party party={transaction.from} />
      </Detail>
      <Detail name="To">
        <Party party={transaction.to ?? transaction.created_contract} />
      </Detail>
      {transaction.value !== null && <Detail name="Value">{formatUnits(transaction.value, 18)} FLOW</Detail>}
      <Detail name="Gas used">
        {formatNumber(Number(transaction.gas_used))}
        {limit !== null && <span className="soft"> (limit: {formatNumber(Number(limit))})</span>}
      </Detail>
      {price !== null && (
        <Detail name="Gas price">
          {formatUnits(price, 9)} gwei
          {cap !== null && tip !== null && (
            <span className="soft">
              {' '}
              (caps: {formatUnits(cap, 9)} gwei for the price, {formatUnits(tip, 9)} for the priority fee)
            </span>
          )}
        </Detail>
      )}
      {fee !== null && <Detail name="Fee">{formatUnits(fee.value, 18)} FLOW</Detail>}
      {nonce !== null && <Detail name="Nonce">{nonce}</Detail>}
      <Detail name="Type">{typeNameOf(transaction)}</Detail>
    </DetailPanel>
  )
}

function Input({ transaction: { decoded_input: call, raw_input: raw } }: TransactionProps): ReactNode {
  return (
    <section className="panel" aria-label="Input">
      {call !== null && <DecodedCall call={call} />}
      <div className="panel-text">
        <h3>Raw input</h3>
        <ValueTree value={raw ?? ''} />
      </div>
    </section>
  )
}
