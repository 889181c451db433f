import type { ReactNode } from 'react'
import { Badge, Icon } from '../../kit/controls.tsx'
import { formatNumber, formatTime } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import { Ago } from '../../kit/time.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import type { FungibleMove, NonFungibleMove, TransactionDetail } from '../answers.gen.ts'
import { balanceChanges } from '../balance-changes.ts'
import type { BalanceChange, Change } from '../balance-changes.ts'
import { Detail, DetailPanel } from '../parts/page.tsx'
import { MoreButton, Statements, nameOfTransaction, useLimit } from '../parts/rows.tsx'
import {
  Amount,
  AccountLink,
  BlockLink,
  ContractLink,
  Identity,
  Moment,
  NoValue,
  Picture,
  SignedAmount,
} from '../parts/values.tsx'
import { contractNameOf, formatAmount, formatDollars, humanize, paths, sanitizeName, symbolOf } from '../text.ts'
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
      <Prices transfers={transaction.ft_transfers} />
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

const maxPrices = 20

/** Prices of the moved tokens at the time of the transaction. */
function Prices({ transfers }: { readonly transfers: readonly FungibleMove[] }): ReactNode {
  const tokens = [...new Map(transfers.map((transfer) => [transfer.token, transfer])).values()]
  if (tokens.every(({ approx_usd_price: price }) => price === null)) return null
  return (
    <Detail name="Prices at the time">
      <ul className="chips">
        {tokens.slice(0, maxPrices).map(({ token, token_symbol: symbol, approx_usd_price: price, usd_as_of: time }) => (
          <li key={token}>
            {symbolOf(token, symbol)}{' '}
            {price === null || time === null ? (
              <span className="soft">unknown</span>
            ) : (
              <>
                ${formatAmount(price)} <span className="soft">({formatTime(time)})</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </Detail>
  )
}

export function TransactionOverview({ transaction }: TransactionProps): ReactNode {
  const { block_height: height, timestamp, tags, nft_transfers: items } = transaction
  const trades = describeTrades(transaction.defi_events, transaction.ft_transfers)
  const statements = [
    ...trades.statements,
    ...describeTokenTransfers(trades.others),
    ...describeNftTransfers(items),
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
      <MovedItems items={items} />
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
  const { fee, fee_usd: dollars, fee_usd_as_of: pricedAt, payer } = transaction
  if (!isUserTransaction(transaction)) return 'System transactions have no fee.'
  if (fee === null) return 'The fee is unknown.'
  if (Number(fee) === 0) return 'No fee was charged.'
  return (
    <>
      <AccountLink address={payer} /> paid a fee of <Amount amount={fee} unit="FLOW" />
      {dollars !== null && (
        <span className="soft" title={pricedAt === null ? undefined : `Price of ${formatTime(pricedAt)}`}>
          {' '}
          ({formatDollars(dollars)})
        </span>
      )}
      .
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

const maxPictures = 12

function MovedItems({ items }: { readonly items: readonly NonFungibleMove[] }): ReactNode {
  const distinct = [...new Map(items.map((item) => [`${item.token} ${item.token_id}`, item])).values()]
  if (distinct.length === 0) return null
  return (
    <ul className="moved-items" aria-label="NFTs">
      {distinct.slice(0, maxPictures).map((item) => (
        <MovedItem key={`${item.token} ${item.token_id}`} item={item} />
      ))}
      {distinct.length > maxPictures && (
        <li className="soft">and {formatNumber(distinct.length - maxPictures)} more</li>
      )}
    </ul>
  )
}

function MovedItem({ item: { token, token_id: id, name, thumbnail } }: { readonly item: NonFungibleMove }): ReactNode {
  const content = (
    <>
      <Picture source={thumbnail} alt="" size={72} seed={`${token} ${id}`} />
      <span>{sanitizeName(name ?? '', `#${id}`)}</span>
    </>
  )
  return <li>{token === null ? content : <Link to={paths.item(token, id)}>{content}</Link>}</li>
}

const changeColumns: readonly Column<BalanceChange>[] = [
  { name: 'Account', cell: ({ account }) => <AccountLink address={account} />, inCards: 'bottom' },
  { name: 'Asset', cell: ({ change }) => <ChangedAsset change={change} />, inCards: 'top' },
  {
    name: 'Change',
    cell: ({ change }) => {
      const amount = change.kind === 'items' ? String(change.ids.length) : change.amount
      return <SignedAmount amount={change.kind === 'items' && !change.isGain ? `-${amount}` : amount} />
    },
    isNumber: true,
    inCards: 'top-end',
  },
  {
    name: 'Value at the time',
    cell: ({ change }) => {
      if (change.kind === 'items' || change.dollars === null || change.pricedAt === null) return <NoValue />
      return (
        <span title={`Price of ${formatTime(change.pricedAt)}`}>{formatDollars(change.dollars).replace('-', '−')}</span>
      )
    },
    isNumber: true,
    inCards: 'bottom-end',
  },
]

function ChangedAsset({ change }: { readonly change: Change }): ReactNode {
  if (change.kind === 'fee') return 'FLOW (fee)'
  if (change.kind === 'token') {
    return <Link to={paths.token(change.token)}>{symbolOf(change.token, change.symbol)}</Link>
  }
  const { collection, ids } = change
  const name = sanitizeName(change.name ?? '', collection === null ? 'NFT' : contractNameOf(collection))
  const [id = ''] = ids
  const text = ids.length === 1 ? `${name} #${id}` : name
  if (collection === null) return text
  return <Link to={ids.length === 1 ? paths.item(collection, id) : paths.collection(collection)}>{text}</Link>
}

function changeKey({ account, change }: BalanceChange): string {
  const asset = change.kind === 'token' ? change.token : change.kind === 'items' ? change.collection : ''
  return `${account} ${change.kind} ${asset} ${change.kind === 'items' && change.isGain}`
}

const initialChanges = 50

export function BalanceChanges({ transaction }: TransactionProps): ReactNode {
  const [limit, showMore] = useLimit(initialChanges)
  const changes = balanceChanges(transaction)
  return (
    <section className="panel list" aria-label="Balance changes">
      {changes.length === 0 ? (
        <EmptyState title="No balance changes">This transaction changed no balance of a known account.</EmptyState>
      ) : (
        <DataTable
          label="Balance changes"
          columns={changeColumns}
          items={changes.slice(0, limit)}
          itemKey={changeKey}
        />
      )}
      {changes.length > limit && (
        <footer>
          <MoreButton count={changes.length - limit} onClick={showMore} />
        </footer>
      )}
    </section>
  )
}

const maxRawLength = 100_000

export function RawTransaction({ transaction }: TransactionProps): ReactNode {
  const { id, block_height: height } = transaction
  const text = JSON.stringify(transaction, null, 2)
  return (
    <section className="panel" aria-label="Raw">
      <header>
        <h2>JSON of the API</h2>
        <CopyButton text={text} what="JSON" />
        <a className="button small" href={`/flow/transaction/${id}?height=${height}`} download={`${id}.json`}>
          Download <Icon name="save" size={13} />
        </a>
      </header>
      <div className="code-scroll json" tabIndex={0} role="group" aria-label="JSON">
        <pre>
          <code>{text.slice(0, maxRawLength)}</code>
        </pre>
      </div>
      {text.length > maxRawLength && (
        <footer className="soft">Only the start is shown. Copy or download the JSON to see all of it.</footer>
      )}
    </section>
  )
}

function withoutDetails(summary: Sentence): Statement {
  return { summary, details: [] }
}
