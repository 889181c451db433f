import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import type { EvmAddress, EvmToken } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { EvmTransactionList, EvmTransfers } from '../parts/evm.tsx'
import { ItemResult, TableList } from '../parts/lists.tsx'
import { UrlTabs, PageTitle, Detail, DetailPanel, KeyNumber, KeyNumbers } from '../parts/page.tsx'
import { AccountLink, BlockLink, EvmPartyLink, EvmTransactionLink, Identity } from '../parts/values.tsx'
import { paths, sanitizeName, shorten, formatAmount, formatEvmAmount, contractNameOf, formatDollars } from '../text.ts'

export function EvmPage(): ReactNode {
  return (
    <>
      <PageTitle title="Flow EVM" />
      <p className="lead">
        Flow EVM runs Ethereum contracts. Flow accounts use it through Cadence-owned accounts (COAs) with EVM addresses.
      </p>
      <UrlTabs
        label="EVM"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <Transactions /> },
          { name: 'tokens', label: 'Tokens', render: () => <Tokens /> },
        ]}
      />
    </>
  )
}

function Transactions(): ReactNode {
  const list = useList('/flow/evm/transaction', { limit: 25 })
  return <EvmTransactionList list={list} emptyText="EVM transactions will appear here." />
}

const tokenColumns: readonly Column<EvmToken>[] = [
  {
    name: 'Token',
    cell: ({ address, name, symbol }) => (
      <span className="token-name">
        <Link to={paths.evmToken(address)}>{sanitizeName(name ?? shorten(address))}</Link>
        {symbol !== null && <span className="soft">{sanitizeName(symbol)}</span>}
      </span>
    ),
  },
  { name: 'Kind', cell: ({ type }) => <Badge>{type}</Badge> },
  { name: 'Address', cell: ({ address }) => <AccountLink address={address} /> },
  { name: 'Holders', cell: ({ holders }) => formatNumber(holders), isNumber: true },
  { name: 'Transfers', cell: ({ transfer_count: count }) => formatNumber(count), isNumber: true },
]

function Tokens(): ReactNode {
  return (
    <TableList
      list={useList('/flow/evm/token', { limit: 25 })}
      what="tokens"
      columns={tokenColumns}
      itemKey={({ address, type }) => `${address} ${type}`}
      emptyText="EVM tokens will appear here after their first transfer."
    />
  )
}

export function EvmAddressPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/evm/address/{address}', { address })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind={found?.is_contract === true ? 'EVM contract' : 'EVM address'}
        title={sanitizeName(found?.name ?? shorten(address))}
        aside={found?.is_coa === true && <Badge tone="busy">Cadence-owned</Badge>}
      >
        {found?.name === null || found === undefined ? <Identity id={address} what="address" hasCopy /> : undefined}
      </PageTitle>
      <ItemResult query={query} what="this EVM address" rows={5}>
        {(details) => <AddressView address={details} />}
      </ItemResult>
    </>
  )
}

function AddressView({ address }: { readonly address: EvmAddress }): ReactNode {
  const { hash, flow_address: owner, token, creator, creation_transaction_hash: creation } = address
  return (
    <>
      <DetailPanel label="Address">
        <Detail name="Address">
          <Identity id={hash} what="address" isWhole hasCopy />
        </Detail>
        {owner !== null && (
          <Detail name="Flow account">
            <AccountLink address={owner} isWhole hasCopy />
          </Detail>
        )}
        {token !== null && (
          <Detail name="Token">
            <Link to={paths.evmToken(token.address)}>{sanitizeName(token.name ?? token.symbol ?? '')}</Link>{' '}
            <Badge>{token.type}</Badge>
          </Detail>
        )}
        {creator !== null && (
          <Detail name="Created by">
            <EvmPartyLink party={creator} />
            {creation !== null && (
              <>
                {' '}
                in <EvmTransactionLink hash={creation} />
              </>
            )}
          </Detail>
        )}
        {address.first_height !== null && (
          <Detail name="Seen in blocks">
            <BlockLink height={address.first_height} />
            {address.last_height !== null && (
              <>
                {' '}
                to <BlockLink height={address.last_height} />
              </>
            )}
          </Detail>
        )}
      </DetailPanel>
      <UrlTabs
        label="EVM address"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <AddressTransactions address={hash} /> },
          { name: 'transfers', label: 'Token transfers', render: () => <AddressTransfers address={hash} /> },
          { name: 'tokens', label: 'Tokens', render: () => <AddressTokens address={hash} /> },
          { name: 'nfts', label: 'NFTs', render: () => <AddressNfts address={hash} /> },
        ]}
      />
    </>
  )
}

interface AddressProps {
  readonly address: string
}

function AddressTransactions({ address }: AddressProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/transactions', { address, limit: 20 })
  return <EvmTransactionList list={list} emptyText="Transactions from and to this address will appear here." />
}

function AddressTransfers({ address }: AddressProps): ReactNode {
  return <EvmTransfers list={useList('/flow/evm/address/{address}/token-transfers', { address, limit: 20 })} />
}

const balanceColumns: readonly Column<ItemOf<'/flow/evm/address/{address}/token'>>[] = [
  {
    name: 'Token',
    cell: ({ token: { address, name } }) => (
      <Link to={paths.evmToken(address)}>{sanitizeName(name ?? shorten(address))}</Link>
    ),
  },
  {
    name: 'Balance',
    cell: ({ token, value }) => formatEvmAmount(value, token, sanitizeName(token.symbol ?? '', '')),
    isNumber: true,
  },
]

function AddressTokens({ address }: AddressProps): ReactNode {
  return (
    <TableList
      list={useList('/flow/evm/address/{address}/token', { address, limit: 50 })}
      what="tokens"
      columns={balanceColumns}
      itemKey={({ token }) => `${token.address} ${token.type}`}
      emptyText="This address holds no EVM tokens."
    />
  )
}

const nftColumns: readonly Column<ItemOf<'/flow/evm/address/{address}/nft'>>[] = [
  {
    name: 'NFT',
    cell: ({ token: { address, name }, token_id: id }) => (
      <Link to={paths.evmToken(address)}>
        {sanitizeName(name ?? shorten(address))} #{id}
      </Link>
    ),
  },
  { name: 'Kind', cell: ({ token }) => <Badge>{token.type}</Badge> },
  { name: 'Count', cell: ({ value }) => formatAmount(value), isNumber: true },
]

function AddressNfts({ address }: AddressProps): ReactNode {
  return (
    <TableList
      list={useList('/flow/evm/address/{address}/nft', { address, limit: 50 })}
      what="NFTs"
      columns={nftColumns}
      itemKey={({ token, token_id: id }) => `${token.address} ${id}`}
      emptyText="This address holds no EVM NFTs."
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

interface TokenProps {
  readonly token: EvmToken
}

function TokenView({ token }: TokenProps): ReactNode {
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Holders">{formatNumber(token.holders)}</KeyNumber>
        <KeyNumber name="Transfers">{formatNumber(token.transfer_count)}</KeyNumber>
        <KeyNumber name="First block">
          <BlockLink height={token.first_height} />
        </KeyNumber>
        <KeyNumber name="Contract">
          <AccountLink address={token.address} hasCopy />
        </KeyNumber>
        {token.exchange_rate !== null && <KeyNumber name="Price">{formatDollars(token.exchange_rate)}</KeyNumber>}
        {token.flow_token !== null && (
          <KeyNumber name="Bridged from">
            <Link to={paths.token(token.flow_token)}>{contractNameOf(token.flow_token)}</Link>
          </KeyNumber>
        )}
      </KeyNumbers>
      <UrlTabs
        label="EVM token"
        tabs={[
          { name: 'transfers', label: 'Transfers', render: () => <TokenTransfers address={token.address} /> },
          { name: 'holders', label: 'Holders', render: () => <Holders token={token} /> },
        ]}
      />
    </>
  )
}

function TokenTransfers({ address }: AddressProps): ReactNode {
  return <EvmTransfers list={useList('/flow/evm/token/{address}/token-transfers', { address, limit: 25 })} />
}

const holderColumn: Column<ItemOf<'/flow/evm/token/{address}/holding'>> = {
  name: 'Address',
  cell: ({ address }) => <EvmPartyLink party={address} />,
}

function Holders({ token }: TokenProps): ReactNode {
  const unit = sanitizeName(token.symbol ?? '', '')
  return (
    <TableList
      list={useList('/flow/evm/token/{address}/holding', { address: token.address, limit: 25 })}
      what="holders"
      columns={[
        holderColumn,
        { name: 'Balance', cell: ({ value }) => formatEvmAmount(value, token, unit), isNumber: true },
      ]}
      itemKey={({ address }) => address.hash}
      emptyText="Holders of this token will appear here."
    />
  )
}
