import type { ReactNode } from 'react'
import { ExactAmount } from '../../kit/amount.tsx'
import { Badge } from '../../kit/controls.tsx'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { EvmTransaction, EvmTokenReference, EvmTokenTransfer, EvmDecodedCall, EvmLog } from '../answers.gen.ts'
import type { ListPath, ListQuery } from '../api.ts'
import { formatUnits, initialOf, sanitizeName, paths, formatAmount, formatEvmAmount, shorten } from '../text.ts'
import { dayFilter } from './filters.tsx'
import type { Filter } from './filters.tsx'
import { TableList } from './lists.tsx'
import { BlockLink, EvmPartyLink, EvmTransactionLink, Identity, NoValue, Picture, ValueTree } from './values.tsx'

type EvmTransactionPath = Extract<
  ListPath,
  '/flow/evm/transaction' | '/flow/evm/address/{address}/transactions' | '/flow/evm/block/{number}/transactions'
>

const types = {
  coin_transfer: 'Transfer',
  contract_call: 'Call',
  contract_creation: 'New contract',
  token_transfer: 'Token transfer',
} as const

export function nameOfEvmTransaction({ decoded_input: call, tx_types: [type], method }: EvmTransaction): string {
  if (call !== null) return sanitizeName(call.method_call.split('(', 1)[0] ?? '', 'Call')
  return type === undefined ? (method ?? 'Call') : types[type]
}

const transactionColumns: readonly Column<EvmTransaction>[] = [
  { name: 'EVM transaction', cell: ({ hash }) => <EvmTransactionLink hash={hash} />, inCards: 'bottom-end' },
  {
    name: 'Method',
    cell: (transaction) => (
      <>
        <Badge tone={transaction.status === 'error' ? 'bad' : 'neutral'}>
          {nameOfEvmTransaction(transaction)}
          {transaction.status === 'error' && ', failed'}
        </Badge>
        {transaction.value !== null && transaction.value !== '0' && (
          <span className="narrow-only">
            {' '}
            <ExactAmount amount={formatUnits(transaction.value, 18)} unit="FLOW" />
          </span>
        )}
      </>
    ),
    inCards: 'top',
  },
  {
    name: 'From',
    cell: ({ from, to, created_contract: created }) => <FromParty from={from} to={to ?? created} />,
    inCards: 'bottom',
  },
  {
    name: 'To',
    cell: ({ to, created_contract: created }) => <EvmPartyLink party={to ?? created} />,
    inCards: 'hidden',
  },
  {
    name: 'Value in FLOW',
    cell: ({ value }) => (value === null ? <NoValue /> : <ExactAmount amount={formatUnits(value, 18)} />),
    isNumber: true,
    inCards: 'hidden',
  },
  { name: 'Block', cell: ({ block_height: height }) => <BlockLink height={height} />, inCards: 'hidden' },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true, inCards: 'top-end' },
]

type EvmParty = EvmTransaction['to']

/** In cards also the receiver. */
function FromParty({ from, to }: { readonly from: EvmParty; readonly to: EvmParty }): ReactNode {
  return (
    <>
      <EvmPartyLink party={from} />
      <span className="narrow-only">
        {' → '}
        <EvmPartyLink party={to} />
      </span>
    </>
  )
}

const methodFilter: Filter = {
  kind: 'text',
  name: 'method',
  label: 'Method',
  hint: 'transfer, transfer(address,uint256) or 0xa9059cbb',
  pattern: String.raw`\s*(0[xX][0-9a-fA-F]{8}|[A-Za-z_$][A-Za-z0-9_$]{0,99}(\([A-Za-z0-9,\(\)\[\]]{0,400}\))?)\s*`,
}

export const transactionTypes: Readonly<Record<string, string>> = {
  0: 'Legacy',
  1: 'Access list (EIP-2930)',
  2: 'Dynamic fee (EIP-1559)',
  4: 'Set code (EIP-7702)',
  255: 'Direct call from Cadence',
}

export const evmTransactionFilters: readonly Filter[] = [
  { kind: 'choice', name: 'status', label: 'Status', options: { ok: 'Succeeded', error: 'Failed' } },
  methodFilter,
  { kind: 'choice', name: 'type', label: 'Type', options: transactionTypes },
  dayFilter,
]

interface EvmTransactionListProps<Path extends EvmTransactionPath> {
  readonly list: ListQuery<Path>
  readonly emptyText: string
  readonly filters?: readonly Filter[]
}

export function EvmTransactionList<Path extends EvmTransactionPath>(props: EvmTransactionListProps<Path>): ReactNode {
  return (
    <TableList
      what="EVM transactions"
      columns={transactionColumns}
      itemKey={(transaction: EvmTransaction) => transaction.hash}
      {...props}
    />
  )
}

type EvmTransferPath = Extract<
  ListPath,
  '/flow/evm/address/{address}/token-transfers' | '/flow/evm/token/{address}/token-transfers'
>

export function EvmTokenName({ token }: { readonly token: EvmTokenReference }): ReactNode {
  const { address, name, symbol, icon_url: icon } = token
  return (
    <span className="token-name">
      <Picture source={icon} alt="" size={22} seed={address} letter={initialOf(symbol ?? name ?? '?')} />
      <Link to={paths.evmToken(address)}>{sanitizeName(name ?? symbol ?? shorten(address))}</Link>
      {symbol !== null && symbol !== name && <span className="soft">{sanitizeName(symbol)}</span>}
    </span>
  )
}

interface EvmAmountProps {
  readonly value: string
  readonly token: Pick<EvmTokenReference, 'type' | 'decimals'>
  readonly unit?: string
}

export function EvmAmount({ value, token, unit = '' }: EvmAmountProps): ReactNode {
  if (token.type === 'ERC-20' && token.decimals === null) return formatEvmAmount(value, token, unit)
  return <ExactAmount amount={formatEvmAmount(value, token, '')} unit={unit === '' ? undefined : unit} />
}

/** `1.5 USDF`, `PaperBoats #7`. */
export function TransferredAsset({ transfer: { token, total } }: { readonly transfer: EvmTokenTransfer }): ReactNode {
  const name = sanitizeName(token.symbol ?? token.name ?? shorten(token.address))
  return (
    <Link to={paths.evmToken(token.address)}>
      {total.token_id === null ? (
        <EvmAmount value={total.value} token={token} unit={name} />
      ) : (
        `${total.value === '1' ? '' : `${formatAmount(total.value)} × `}${name} #${total.token_id}`
      )}
    </Link>
  )
}

const transferTransaction: Column<EvmTokenTransfer> = {
  name: 'EVM transaction',
  cell: ({ transaction_hash: hash }) => <EvmTransactionLink hash={hash} />,
  inCards: 'bottom-end',
}
const transferAge: Column<EvmTokenTransfer> = {
  name: 'Age',
  cell: ({ timestamp }) => <Age since={timestamp} />,
  isNumber: true,
  inCards: 'top-end',
}

/** `Sent 0.5 PEB to 0x12…ab`. */
function TransferSentence({ transfer, address }: { transfer: EvmTokenTransfer; address: string }): ReactNode {
  const { from, to } = transfer
  const asset = <TransferredAsset transfer={transfer} />
  if (from?.hash === to?.hash) return <>Sent {asset} to itself</>
  if (to?.hash !== address) {
    return to === null ? (
      <>Burned {asset}</>
    ) : (
      <>
        Sent {asset} to <EvmPartyLink party={to} />
      </>
    )
  }
  return from === null ? (
    <>Received {asset}, newly minted</>
  ) : (
    <>
      Received {asset} from <EvmPartyLink party={from} />
    </>
  )
}

function columnsOfParty(address: string): readonly Column<EvmTokenTransfer>[] {
  return [
    transferTransaction,
    {
      name: 'Transfer',
      cell: (transfer) => (
        <span className="wrap">
          <TransferSentence transfer={transfer} address={address} />
        </span>
      ),
      inCards: 'top',
    },
    transferAge,
  ]
}

const transferColumns: readonly Column<EvmTokenTransfer>[] = [
  transferTransaction,
  { name: 'Asset', cell: (transfer) => <TransferredAsset transfer={transfer} />, inCards: 'top' },
  { name: 'From', cell: ({ from, to }) => <FromParty from={from} to={to} />, inCards: 'bottom' },
  { name: 'To', cell: ({ to }) => <EvmPartyLink party={to} />, inCards: 'hidden' },
  transferAge,
]

interface EvmTransfersProps<Path extends EvmTransferPath> {
  readonly list: ListQuery<Path>
  /** The sentences start from it: Sent, Received. */
  readonly address?: string
  readonly filters?: readonly Filter[]
}

export function EvmTransfers<Path extends EvmTransferPath>({
  list,
  address,
  filters = [],
}: EvmTransfersProps<Path>): ReactNode {
  const columns = address === undefined ? transferColumns : columnsOfParty(address)
  return (
    <TableList
      list={list}
      filters={filters}
      what="token transfers"
      columns={columns}
      itemKey={({ transaction_hash: hash, log_index: log, batch_index: batch }: EvmTokenTransfer) =>
        `${hash} ${log} ${batch}`
      }
      emptyText="Transfers of EVM tokens will appear here."
    />
  )
}

export function DecodedCall({ call }: { readonly call: EvmDecodedCall }): ReactNode {
  return (
    <div className="panel-text">
      <h3>
        Called <code>{call.method_call}</code>
      </h3>
      <ParameterTree parameters={call.parameters} />
    </div>
  )
}

export function EvmLogs({ logs }: { readonly logs: readonly EvmLog[] }): ReactNode {
  if (logs.length === 0) return <p className="panel-text soft">This transaction emitted no logs.</p>
  return (
    <ol className="events">
      {logs.map(({ index, address, decoded, topics, data }) => (
        <li key={index}>
          <h3>
            <span className="soft">{index}</span> {decoded === null ? 'Undecoded log' : sanitizeName(decoded.name)}
            {' by '}
            <EvmPartyLink party={address} />
          </h3>
          {decoded === null ? (
            <dl className="tree">
              {topics.map((topic, i) => (
                <div key={i}>
                  <dt>topic {i}</dt>
                  <dd>
                    <Identity id={topic} what="topic" isWhole />
                  </dd>
                </div>
              ))}
              <div>
                <dt>data</dt>
                <dd>
                  <ValueTree value={data} />
                </dd>
              </div>
            </dl>
          ) : (
            <ParameterTree parameters={decoded.parameters} />
          )}
        </li>
      ))}
    </ol>
  )
}

export function ParameterTree({ parameters }: { readonly parameters: EvmDecodedCall['parameters'] }): ReactNode {
  return (
    <dl className="tree">
      {parameters.map(({ name, type, value }, i) => (
        <div key={i}>
          <dt>
            {name === '' ? i : name} <span className="note">{type}</span>
          </dt>
          <dd>
            <ValueTree value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
