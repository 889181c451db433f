import { useState } from 'react'
import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age, Ago } from '../../kit/time.tsx'
import type { AccountDetail, Answers } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import { plainValue } from '../cadence-value.ts'
import { ItemCard } from '../parts/assets.tsx'
import { dayFilter, useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { CardList, QueryResult, TableList } from '../parts/lists.tsx'
import { Detail, DetailList } from '../parts/page.tsx'
import { StakingEvents } from '../parts/staking.tsx'
import {
  AccountLink,
  Algorithms,
  Amount,
  BlockLink,
  Identity,
  KeyStatus,
  Picture,
  SignedAmount,
  TransactionLink,
  NoValue,
  OptionalAccountLink,
  ValueTree,
} from '../parts/values.tsx'
import {
  contractNameOf,
  formatBytes,
  formatDollars,
  humanize,
  negated,
  paths,
  sanitizeName,
  shorten,
  symbolOf,
} from '../text.ts'

interface AddressProps {
  readonly address: string
}

type AccountTransfer = ItemOf<'/flow/account/{address}/transfer'>

const transferColumns: readonly Column<AccountTransfer>[] = [
  {
    name: 'Transaction',
    cell: ({ transaction_hash: id, block_height: height }) => <TransactionLink id={id} height={height} />,
    inCards: 'bottom-end',
  },
  {
    name: 'Kind',
    cell: ({ direction, transfer_type: type }) => (
      <>
        <Badge tone={direction === 'deposit' ? 'good' : 'neutral'}>{direction === 'deposit' ? 'In' : 'Out'}</Badge>{' '}
        {type !== 'transfer' && <span className="soft">{humanize(type)}</span>}
      </>
    ),
    inCards: 'hidden',
  },
  { name: 'Asset', cell: (transfer) => <TransferredAsset transfer={transfer} />, inCards: 'top' },
  {
    name: 'Counterparty',
    cell: ({ direction, sender, receiver }) => (
      <>
        <span className="narrow-only">{direction === 'deposit' ? 'from ' : 'to '}</span>
        <OptionalAccountLink address={direction === 'deposit' ? sender : receiver} />
      </>
    ),
    inCards: 'bottom',
  },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true, inCards: 'top-end' },
]

function TransferredAsset({ transfer }: { readonly transfer: AccountTransfer }): ReactNode {
  const isLoss = transfer.direction === 'withdraw'
  if (transfer.type === 'ft') {
    const { token, symbol } = transfer.token
    return (
      <>
        <Link to={paths.token(token)}>
          <SignedAmount amount={isLoss ? negated(transfer.amount) : transfer.amount} unit={symbolOf(token, symbol)} />
        </Link>
        {transfer.usd_value !== null && <span className="soft"> ({formatDollars(transfer.usd_value)})</span>}
      </>
    )
  }
  const name = sanitizeName(transfer.name)
  return transfer.nft_type === null ? name : <Link to={paths.item(transfer.nft_type, transfer.nft_id)}>{name}</Link>
}

const transferFilters: readonly Filter[] = [
  { kind: 'choice', name: 'direction', label: 'Direction', options: { deposit: 'In', withdraw: 'Out' } },
  { kind: 'choice', name: 'type', label: 'Kind', options: { ft: 'Tokens', nft: 'NFTs' } },
  { kind: 'token', name: 'token', label: 'Token' },
  dayFilter,
]

export function AccountTransfers({ address }: AddressProps): ReactNode {
  const list = useList('/flow/account/{address}/transfer', { ...useFilterValues(transferFilters), address, limit: 25 })
  return (
    <TableList
      list={list}
      filters={transferFilters}
      tools={<Link to={`/tax-report?address=${address}`}>Tax report</Link>}
      what="transfers"
      columns={transferColumns}
      itemKey={({ transaction_hash: id, event_index: event, leg, direction }) => `${id} ${event} ${leg} ${direction}`}
      emptyText="Transfers to and from this account will appear here."
    />
  )
}

export function AccountNfts({ address }: AddressProps): ReactNode {
  const [type, choose] = useSearchValue('collection')
  const list = useList('/flow/account/{address}/nft', { address, limit: 24 })
  if (type !== '') return <Items address={address} type={type} onBack={() => choose('')} />
  return (
    <CardList
      list={list}
      what="collections"
      emptyText="This account holds no NFTs."
      renderCard={({ id, display_name: name, number_of_tokens: count, square_image: image }) => (
        <li key={id} className="card">
          <button type="button" className="card-button" onClick={() => choose(id)}>
            <Picture source={image} alt="" size="fill" seed={id} />
            <span className="card-name">{sanitizeName(name)}</span>
            <span className="soft">{formatCount(count, 'item')}</span>
          </button>
        </li>
      )}
    />
  )
}

interface ItemsProps extends AddressProps {
  readonly type: string
  readonly onBack: () => void
}

function Items({ address, type, onBack }: ItemsProps): ReactNode {
  return (
    <CardList
      list={useList('/flow/account/{address}/nft/{nft_type}', { address, nft_type: type, limit: 24 })}
      what="items"
      emptyText="This account holds no items of this collection."
      header={
        <header>
          <button type="button" className="button small" onClick={onBack}>
            All collections
          </button>
          <h2>
            <Link to={paths.collection(type)}>{contractNameOf(type)}</Link>
          </h2>
        </header>
      }
      renderCard={(item) => <ItemCard key={item.nft_id} item={item} />}
    />
  )
}

export function AccountStaking({ address }: AddressProps): ReactNode {
  const query = useApi('/staking/account/{address}', { address })
  const list = useList('/staking/account/{address}/event', { address, limit: 20 })
  return (
    <>
      <section className="panel" aria-label="Stakes">
        <QueryResult query={query} what="the stakes of this account">
          {({ data: [stake] }) =>
            stake === undefined || stake.nodes.length + stake.delegators.length === 0 ? (
              <EmptyState title="No stakes">This account operates no node and delegates to none.</EmptyState>
            ) : (
              <DetailList>
                {stake.nodes.map((node) => (
                  <Detail key={node.node_id} name={humanize(`${node.role_name ?? 'unknown'} node`)}>
                    <Stake stake={node} />
                  </Detail>
                ))}
                {stake.delegators.map((delegator) => (
                  <Detail
                    key={`${delegator.node_id} ${delegator.delegator_id}`}
                    name={`Delegator ${formatNumber(delegator.delegator_id)}`}
                  >
                    of <Stake stake={delegator} />
                  </Detail>
                ))}
              </DetailList>
            )
          }
        </QueryResult>
      </section>
      <StakingEvents list={list} emptyText="Staking events of this account will appear here." />
    </>
  )
}

interface StakeProps {
  readonly stake: {
    readonly node_id: string
    readonly tokens_staked: string | null
    readonly tokens_rewarded: string | null
  }
}

function Stake({ stake: { node_id: node, tokens_staked: staked, tokens_rewarded: rewarded } }: StakeProps): ReactNode {
  return (
    <>
      <Link to={paths.node(node)}>{shorten(node)}</Link>: <Amount amount={staked} unit="FLOW staked" />,{' '}
      <Amount amount={rewarded} unit="rewarded" />
    </>
  )
}

type AccountKey = AccountDetail['keys'][number]

const keyColumns: readonly Column<AccountKey>[] = [
  { name: 'Index', cell: ({ index }) => index },
  {
    name: 'Public key',
    cell: ({ key }) =>
      key === null ? <NoValue /> : <Identity id={key} to={paths.publicKey(key)} what="public key" hasCopy />,
  },
  {
    name: 'Algorithms',
    cell: ({ signatureAlgorithm, hashAlgorithm }) => (
      <Algorithms signing={signatureAlgorithm} hashing={hashAlgorithm} />
    ),
  },
  { name: 'Weight', cell: ({ weight }) => weight ?? <NoValue />, isNumber: true },
  { name: 'Status', cell: ({ revoked }) => <KeyStatus isRevoked={revoked} /> },
]

const maxUnfilteredKeys = 10

export function AccountKeys({ keys }: { readonly keys: readonly AccountKey[] }): ReactNode {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase().replace(/^0x/, '')
  const shown = keys.filter(({ index, key }) => String(index) === wanted || (key ?? '').includes(wanted))
  return (
    <section className="panel list" aria-label="Keys">
      {keys.length > maxUnfilteredKeys && (
        <header>
          <label className="field grow">
            <span>Find a key</span>
            <input
              className="input"
              type="search"
              placeholder="Index or public key"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <span className="soft" role="status">
            {formatCount(shown.length, 'key')}
          </span>
        </header>
      )}
      {shown.length === 0 ? (
        <EmptyState title={keys.length === 0 ? 'No keys' : 'No matching keys'}>
          {keys.length === 0 && 'This account has no usable key.'}
        </EmptyState>
      ) : (
        <DataTable label="Keys" columns={keyColumns} items={shown} itemKey={({ index }) => index} />
      )}
    </section>
  )
}

type Counterparty = Answers['/flow/account/{address}/counterparty']['data'][number]

const counterpartyColumns: readonly Column<Counterparty>[] = [
  {
    name: 'Account',
    cell: ({ address, label }) => (
      <>
        <AccountLink address={address} /> {label !== null && <Badge tone="busy">{sanitizeName(label)}</Badge>}
      </>
    ),
    inCards: 'top',
  },
  {
    name: 'Transfers',
    cell: ({ sent_count: sent, received_count: received }) => (
      <>
        {formatNumber(sent + received)}
        <span className="narrow-only">{sent + received === 1 ? ' transfer' : ' transfers'}</span>
      </>
    ),
    isNumber: true,
    inCards: 'top-end',
  },
  { name: 'Sent to it', cell: ({ sent_count: count }) => formatNumber(count), isNumber: true, inCards: 'hidden' },
  {
    name: 'Received from it',
    cell: ({ received_count: count }) => formatNumber(count),
    isNumber: true,
    inCards: 'hidden',
  },
  {
    name: 'Last transfer',
    cell: ({ timestamp }) => (timestamp === null ? <NoValue /> : <Ago at={timestamp} />),
    isNumber: true,
    inCards: 'bottom',
  },
]

export function AccountCounterparties({ address }: AddressProps): ReactNode {
  const query = useApi('/flow/account/{address}/counterparty', { address, limit: 20 })
  return (
    <section className="panel list" aria-label="Counterparties">
      <QueryResult query={query} what="the counterparties">
        {({ data, _meta: { transfer_count: count, is_complete: isComplete } }) =>
          data.length === 0 ? (
            <EmptyState title="No counterparties">
              Accounts that send tokens or NFTs to this account, or receive them, will appear here.
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Counterparties"
                columns={counterpartyColumns}
                items={data}
                itemKey={(counterparty) => counterparty.address}
              />
              <footer className="soft small">
                {isComplete ? 'All' : 'The newest'} {formatCount(count, 'transfer')} of this account
              </footer>
            </>
          )
        }
      </QueryResult>
    </section>
  )
}

export function AccountStorage({ address }: AddressProps): ReactNode {
  const query = useApi('/flow/account/{address}/storage', { address })
  const [path, choose] = useSearchValue('path')
  return (
    <section className="panel" aria-label="Storage">
      <QueryResult query={query} what="the storage of this account">
        {(storage) => (
          <DetailList>
            {Object.entries(plainValue(storage) as Readonly<Record<string, unknown>>)
              .filter(([, value]) => value !== false)
              .map(([name, value]) => (
                <Detail key={name} name={nameOf(name)}>
                  {Array.isArray(value) ? (
                    <StoragePaths paths={value.map(String)} selected={path} onSelect={choose} />
                  ) : (
                    <StorageField name={name} value={value} />
                  )}
                </Detail>
              ))}
          </DetailList>
        )}
      </QueryResult>
      {path !== '' && <StorageItem address={address} path={path} />}
    </section>
  )
}

function StorageField({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  if (name === 'used' || name === 'capacity') return formatBytes(Number(value))
  if (name === 'height') return <BlockLink height={Number(value)} />
  if (name === 'truncated') return 'This account has more paths than are listed here.'
  return <ValueTree value={value} />
}

const fieldNames: Readonly<Record<string, string>> = { height: 'As of block', truncated: 'Incomplete' }

function nameOf(name: string): string {
  const fixed = fieldNames[name]
  if (fixed !== undefined) return fixed
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface StoragePathsProps {
  readonly paths: readonly string[]
  readonly selected: string
  readonly onSelect: (path: string) => void
}

function StoragePaths({ paths, selected, onSelect }: StoragePathsProps): ReactNode {
  if (paths.length === 0) return <span className="soft">none</span>
  return (
    <ul className="chips">
      {paths.map((path) => (
        <li key={path}>
          {path.startsWith('/storage/') ? (
            <button
              type="button"
              className="button small"
              aria-pressed={path === selected}
              onClick={() => onSelect(path)}
            >
              {path}
            </button>
          ) : (
            <code>{path}</code>
          )}
        </li>
      ))}
    </ul>
  )
}

function StorageItem({ address, path }: AddressProps & { readonly path: string }): ReactNode {
  const query = useApi('/flow/account/{address}/storage/item', { address, path: path.replace('/storage/', '') })
  return (
    <div className="panel-text">
      <h3>{path}</h3>
      <QueryResult query={query} what={path} rows={1}>
        {(item) => <ValueTree value={plainValue(item)} />}
      </QueryResult>
    </div>
  )
}
