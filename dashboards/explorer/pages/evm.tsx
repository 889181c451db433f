import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { EvmBlock, EvmToken } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { EvmTransactionList, EvmTransfers, EvmAmount, EvmTokenName, evmTransactionFilters } from '../parts/evm.tsx'
import { dayFilter, useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { CardList, ItemResult, TableList } from '../parts/lists.tsx'
import { UrlTabs, PageTitle, Detail, DetailPanel, KeyNumber, KeyNumbers } from '../parts/page.tsx'
import { AccountLink, BlockLink, EvmBlockLink, EvmPartyLink, Identity, NoValue, Picture } from '../parts/values.tsx'
import { paths, sanitizeName, shorten, contractNameOf, formatDollars } from '../text.ts'

export function EvmPage(): ReactNode {
  return (
    <>
      <PageTitle
        title="Flow EVM"
        aside={
          <Link to="/evm/gas" className="button small">
            Gas prices
          </Link>
        }
      />
      <p className="lead">
        Flow EVM runs Ethereum contracts. Flow accounts use it through Cadence-owned accounts (COAs) with EVM addresses.
      </p>
      <UrlTabs
        label="EVM"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <Transactions /> },
          { name: 'tokens', label: 'Tokens', render: () => <Tokens /> },
          { name: 'blocks', label: 'Blocks', render: () => <Blocks /> },
        ]}
      />
    </>
  )
}

const dayFilters = [dayFilter]

function Transactions(): ReactNode {
  const list = useList('/flow/evm/transaction', { ...useFilterValues(evmTransactionFilters), limit: 25 })
  return (
    <EvmTransactionList list={list} filters={evmTransactionFilters} emptyText="EVM transactions will appear here." />
  )
}

const blockColumns: readonly Column<EvmBlock>[] = [
  { name: 'EVM block', cell: ({ number }) => <EvmBlockLink number={number} />, inCards: 'top' },
  {
    name: 'Transactions',
    cell: ({ transaction_count: count }) => (
      <>
        {formatNumber(count)}
        <span className="narrow-only">{count === 1 ? ' transaction' : ' transactions'}</span>
      </>
    ),
    isNumber: true,
    inCards: 'bottom',
  },
  {
    name: 'Gas used',
    cell: ({ gas_used: gas }) =>
      gas === null ? (
        <NoValue />
      ) : (
        <>
          {formatNumber(Number(gas))}
          <span className="narrow-only"> gas</span>
        </>
      ),
    isNumber: true,
    inCards: 'bottom-end',
  },
  { name: 'Hash', cell: ({ hash }) => <Identity id={hash} what="hash" />, inCards: 'hidden' },
  { name: 'Flow block', cell: ({ block_height: height }) => <BlockLink height={height} />, inCards: 'hidden' },
  {
    name: 'Age',
    cell: ({ timestamp }) => (timestamp === null ? <NoValue /> : <Age since={timestamp} />),
    isNumber: true,
    inCards: 'top-end',
  },
]

function Blocks(): ReactNode {
  return (
    <TableList
      list={useList('/flow/evm/block', { limit: 25 })}
      what="EVM blocks"
      columns={blockColumns}
      itemKey={({ number }) => number}
      emptyText="EVM blocks will appear here."
    />
  )
}

const tokenColumns: readonly Column<EvmToken>[] = [
  { name: 'Token', cell: (token) => <EvmTokenName token={token} />, inCards: 'top' },
  {
    name: 'Kind',
    cell: ({ type, holders }) => (
      <>
        <Badge>{type}</Badge>
        <span className="narrow-only"> {formatNumber(holders)} holders</span>
      </>
    ),
    inCards: 'bottom',
  },
  { name: 'Address', cell: ({ address }) => <AccountLink address={address} />, inCards: 'hidden' },
  {
    name: 'Supply',
    cell: (token) =>
      token.total_supply === null ? (
        <NoValue />
      ) : (
        <>
          <span className="narrow-only">Supply </span>
          <EvmAmount value={token.total_supply} token={token} />
        </>
      ),
    isNumber: true,
    inCards: 'bottom-end',
  },
  {
    name: 'Price',
    cell: ({ exchange_rate: price }) => (price === null ? <NoValue /> : formatDollars(price)),
    isNumber: true,
    inCards: 'top-end',
  },
  { name: 'Holders', cell: ({ holders }) => formatNumber(holders), isNumber: true, inCards: 'hidden' },
  { name: 'Transfers', cell: ({ transfer_count: count }) => formatNumber(count), isNumber: true, inCards: 'hidden' },
]

const tokenFilters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'type',
    label: 'Kind',
    options: { 'ERC-20': 'ERC-20', 'ERC-721': 'ERC-721', 'ERC-1155': 'ERC-1155' },
  },
]

function Tokens(): ReactNode {
  return (
    <TableList
      list={useList('/flow/evm/token', { ...useFilterValues(tokenFilters), limit: 25 })}
      filters={tokenFilters}
      what="tokens"
      columns={tokenColumns}
      itemKey={({ address, type }) => `${address} ${type}`}
      emptyText="EVM tokens will appear here after their first transfer."
    />
  )
}

export function EvmTokenPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/evm/token/{address}', { address })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="EVM token"
        title={sanitizeName(found?.name ?? shorten(address))}
        aside={found !== undefined && <Badge>{found.type}</Badge>}
      />
      <ItemResult query={query} what="this EVM token" rows={5}>
        {(token) => <TokenView token={token} />}
      </ItemResult>
    </>
  )
}

function unitOf({ symbol }: EvmToken): string {
  return sanitizeName(symbol ?? '', '')
}

interface TokenProps {
  readonly token: EvmToken
}

function TokenView({ token }: TokenProps): ReactNode {
  const { address, type, decimals, total_supply: supply, detected_type: detected, flow_token: bridged } = token
  return (
    <>
      <KeyNumbers>
        {supply !== null && (
          <KeyNumber name="Supply">
            <EvmAmount value={supply} token={token} unit={type === 'ERC-20' ? unitOf(token) : 'items'} />
          </KeyNumber>
        )}
        <KeyNumber name="Holders">{formatNumber(token.holders)}</KeyNumber>
        <KeyNumber name="Transfers">{formatNumber(token.transfer_count)}</KeyNumber>
        {token.exchange_rate !== null && <KeyNumber name="Price">{formatDollars(token.exchange_rate)}</KeyNumber>}
      </KeyNumbers>
      <DetailPanel label="Token">
        <Detail name="Contract">
          <AccountLink address={address} isWhole hasCopy />
        </Detail>
        {type === 'ERC-20' && (
          <Detail name="Decimals">
            {decimals ?? <span className="soft">Unknown: amounts are in raw units.</span>}
          </Detail>
        )}
        {detected !== null && detected !== type && (
          <Detail name="Standard">
            {type} by its logs; the contract reports {detected}
          </Detail>
        )}
        {bridged !== null && (
          <Detail name="Bridged from">
            <Link to={paths.token(bridged)}>{contractNameOf(bridged)}</Link>
          </Detail>
        )}
        <Detail name="First transfer in block">
          <BlockLink height={token.first_height} />
        </Detail>
        {!token.is_complete && (
          <Detail name="Completeness">
            Some transfers are missing: they precede the indexed history, or the contract moves balances without logs.
          </Detail>
        )}
      </DetailPanel>
      <UrlTabs
        label="EVM token"
        tabs={[
          { name: 'transfers', label: 'Transfers', render: () => <TokenTransfers address={token.address} /> },
          { name: 'holders', label: 'Holders', render: () => <Holders token={token} /> },
          ...(type === 'ERC-20' ? [] : [{ name: 'items', label: 'Items', render: () => <Items token={token} /> }]),
        ]}
      />
    </>
  )
}

function Items({ token: { address } }: TokenProps): ReactNode {
  return (
    <CardList
      list={useList('/flow/evm/token/{address}/instances', { address, limit: 48 })}
      what="items"
      emptyText="Items of this token will appear here when their metadata is queried."
      renderCard={({ token_id: id, owner, holders, name, image_url: image }) => (
        <li className="card plain" key={id}>
          <Picture source={image} alt="" size="fill" seed={`${address} ${id}`} />
          <span className="card-name">{sanitizeName(name ?? `#${id}`)}</span>{' '}
          <span className="soft">{owner === null ? holdersText(holders) : <EvmPartyLink party={owner} />}</span>
        </li>
      )}
    />
  )
}

function holdersText(count: number): string {
  if (count === 0) return 'Burned'
  return count >= 1000 ? '1,000 holders or more' : `${formatNumber(count)} holders`
}

function TokenTransfers({ address }: { readonly address: string }): ReactNode {
  const filters = useFilterValues(dayFilters)
  const list = useList('/flow/evm/token/{address}/token-transfers', { address, ...filters, limit: 25 })
  return <EvmTransfers list={list} filters={dayFilters} />
}

const holderColumn: Column<ItemOf<'/flow/evm/token/{address}/holding'>> = {
  name: 'Address',
  cell: ({ address }) => <EvmPartyLink party={address} />,
}

function balanceColumn(token: TokenProps['token']): Column<ItemOf<'/flow/evm/token/{address}/holding'>> {
  const unit = unitOf(token)
  return {
    name: 'Balance',
    cell: ({ value }) => <EvmAmount value={value} token={token} unit={unit} />,
    isNumber: true,
  }
}

function Holders({ token }: TokenProps): ReactNode {
  return (
    <TableList
      list={useList('/flow/evm/token/{address}/holding', { address: token.address, limit: 25 })}
      what="holders"
      columns={[holderColumn, balanceColumn(token)]}
      itemKey={({ address }) => address.hash}
      emptyText="Holders of this token will appear here."
    />
  )
}
