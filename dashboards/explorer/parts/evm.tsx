import type { ReactNode } from 'react'
import { Age } from '../../kit/time.tsx'
import { Badge } from '../../kit/controls.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { EvmTransaction, EvmTokenTransfer, EvmDecodedCall, EvmLog } from '../answers.gen.ts'
import type { ListPath, ListQuery } from '../api.ts'
import { formatUnits, sanitizeName, paths, formatAmount, formatEvmAmount, shorten } from '../text.ts'
import { BlockLink, EvmPartyLink, EvmTransactionLink, Identity, ValueTree } from './values.tsx'
import { ListPanel } from './lists.tsx'
import { Link } from '../../kit/router.tsx'

type EvmList = Extract<ListPath, '/flow/evm/transaction' | '/flow/evm/address/{address}/transactions'>

const transactionColumns = [
  { name: 'EVM transaction' },
  { name: 'Method' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Value in FLOW', isNumber: true },
  { name: 'Block' },
  { name: 'Age', isNumber: true },
]

const kinds = {
  coin_transfer: 'Transfer',
  contract_call: 'Call',
  contract_creation: 'New contract',
  token_transfer: 'Token transfer',
} as const

/** What an EVM transaction did, in a word or two. */
export function nameOfEvmTransaction({ decoded_input: call, tx_types: types, method }: EvmTransaction): string {
  if (call !== null) return sanitizeName(call.method_call.split('(', 1)[0] ?? '', 'Call')
  const [type] = types
  return type === undefined ? (method ?? 'Call') : kinds[type]
}

export function EvmTransactionList<Path extends EvmList>({
  list,
  whenEmpty,
}: {
  readonly list: ListQuery<Path>
  readonly whenEmpty: string
}): ReactNode {
  return (
    <ListPanel
      list={list}
      what="EVM transactions"
      columns={transactionColumns}
      whenEmpty={whenEmpty}
      renderRow={(transaction: EvmTransaction) => (
        <Row key={transaction.hash}>
          <RowName>
            <EvmTransactionLink hash={transaction.hash} />
          </RowName>
          <Cell label="Method">
            <Badge tone={transaction.status === 'error' ? 'bad' : 'neutral'}>
              {nameOfEvmTransaction(transaction)}
              {transaction.status === 'error' && ', failed'}
            </Badge>
          </Cell>
          <Cell label="From">
            <EvmPartyLink party={transaction.from} />
          </Cell>
          <Cell label="To">
            <EvmPartyLink party={transaction.to ?? transaction.created_contract} />
          </Cell>
          <Cell label="Value in FLOW" className="number">
            {transaction.value === null ? '–' : formatUnits(transaction.value, 18)}
          </Cell>
          <Cell label="Block">
            <BlockLink height={transaction.block_height} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transaction.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}

type TransferList = Extract<
  ListPath,
  '/flow/evm/address/{address}/token-transfers' | '/flow/evm/token/{address}/token-transfers'
>

const transferColumns = [
  { name: 'EVM transaction' },
  { name: 'What' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Age', isNumber: true },
]

/** `1.5 USDF`, `PaperBoats #7`. */
export function movedOf({ token, total }: EvmTokenTransfer): string {
  const name = sanitizeName(token.symbol ?? token.name ?? shorten(token.address))
  if (total.token_id === null) return formatEvmAmount(total.value, { type: token.type, decimals: total.decimals }, name)
  return `${total.value === '1' ? '' : `${formatAmount(total.value)} × `}${name} #${total.token_id}`
}

export function EvmTransfers<Path extends TransferList>({ list }: { readonly list: ListQuery<Path> }): ReactNode {
  return (
    <ListPanel
      list={list}
      what="token transfers"
      columns={transferColumns}
      whenEmpty="No token of the EVM was moved here."
      renderRow={(transfer: EvmTokenTransfer) => (
        <Row key={`${transfer.transaction_hash} ${transfer.log_index} ${transfer.batch_index}`}>
          <RowName>
            <EvmTransactionLink hash={transfer.transaction_hash} />
          </RowName>
          <Cell label="What">
            <Link to={paths.evmToken(transfer.token.address)}>{movedOf(transfer)}</Link>
          </Cell>
          <Cell label="From">
            <EvmPartyLink party={transfer.from} />
          </Cell>
          <Cell label="To">
            <EvmPartyLink party={transfer.to} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transfer.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}

type DecodedParameter = EvmDecodedCall['parameters'][number]

/** What a contract of the EVM was asked to do. */
export function DecodedCall({ call }: { readonly call: EvmDecodedCall }): ReactNode {
  return (
    <div className="panel-text">
      <h3>
        Called <code>{call.method_call}</code>
      </h3>
      <Parameters parameters={call.parameters} />
    </div>
  )
}

/** What contracts of the EVM told, decoded where the form is known. */
export function EvmLogs({ logs }: { readonly logs: readonly EvmLog[] }): ReactNode {
  if (logs.length === 0) return <p className="panel-text soft">Its contracts logged nothing.</p>
  return (
    <ol className="events">
      {logs.map(({ index, address, decoded, topics, data }) => (
        <li key={index}>
          <h3>
            <span className="soft">{index}</span>{' '}
            {decoded === null ? 'Log of unknown form' : sanitizeName(decoded.name)}
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
            <Parameters parameters={decoded.parameters} />
          )}
        </li>
      ))}
    </ol>
  )
}

function Parameters({ parameters }: { readonly parameters: readonly DecodedParameter[] }): ReactNode {
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
