import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Link } from '../../kit/router.tsx'
import { AddressTabs, PageTitle, Detail, DetailList, KeyNumber, KeyNumbers } from '../parts/page.tsx'
import { EvmTransactionList, EvmTransfers } from '../parts/evm.tsx'
import { AccountLink, BlockLink, EvmPartyLink, EvmTransactionLink, Identity } from '../parts/values.tsx'
import { ListPanel, Answer } from '../parts/lists.tsx'
import { paths, sanitizeName, shorten, formatAmount, formatEvmAmount, contractNameOf, formatDollars } from '../text.ts'
import { useList, useAnswer } from '../api.ts'
import type { EvmAddress, EvmToken } from '../answers.gen.ts'
import type { PageProps } from '../pages.ts'

export function EvmPage(): ReactNode {
  return (
    <>
      <PageTitle title="Flow EVM" />
      <p className="lead">
        The part of Flow that runs programs written for Ethereum. Flow accounts act in it by an address of their own.
      </p>
      <AddressTabs
        label="Parts of the EVM"
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
  return <EvmTransactionList list={list} whenEmpty="Nothing ran in the EVM so far." />
}

const columns = [
  { name: 'Token' },
  { name: 'Kind' },
  { name: 'Address' },
  { name: 'Holders', isNumber: true },
  { name: 'Transfers', isNumber: true },
]

function Tokens(): ReactNode {
  const list = useList('/flow/evm/token', { limit: 25 })
  return (
    <ListPanel
      list={list}
      what="tokens"
      columns={columns}
      whenEmpty="Tokens of the EVM show up with their first transfer."
      renderRow={(token) => (
        <Row key={`${token.address} ${token.type}`}>
          <RowName>
            <span className="token-name">
              <Link to={paths.evmToken(token.address)}>{sanitizeName(token.name ?? shorten(token.address))}</Link>
              {token.symbol !== null && <span className="soft">{sanitizeName(token.symbol)}</span>}
            </span>
          </RowName>
          <Cell label="Kind">
            <Badge>{token.type}</Badge>
          </Cell>
          <Cell label="Address">
            <AccountLink address={token.address} />
          </Cell>
          <Cell label="Holders" className="number">
            {formatNumber(token.holders)}
          </Cell>
          <Cell label="Transfers" className="number">
            {formatNumber(token.transfer_count)}
          </Cell>
        </Row>
      )}
    />
  )
}

export function EvmAddressPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/evm/address/{address}', { address })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind={found?.is_contract === true ? 'EVM contract' : 'EVM address'}
        title={sanitizeName(found?.name ?? shorten(address))}
        aside={found?.is_coa === true && <Badge tone="busy">Owned by a Flow account</Badge>}
      >
        {found?.name === null || found === undefined ? <Identity id={address} what="address" hasCopy /> : undefined}
      </PageTitle>
      <Answer query={query} what="this EVM address" rows={5}>
        {({ data: [answer] }) => answer !== undefined && <AddressParts address={answer} />}
      </Answer>
    </>
  )
}

function AddressParts({ address }: { readonly address: EvmAddress }): ReactNode {
  const { hash, flow_address: owner, token, creator, creation_transaction_hash: creation } = address
  return (
    <>
      <section className="panel" aria-label="Address">
        <DetailList>
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
              <Link to={paths.evmToken(token.address)}>{sanitizeName(token.name ?? token.symbol ?? 'Its token')}</Link>{' '}
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
        </DetailList>
      </section>
      <AddressTabs
        label="Parts of the EVM address"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <AddressTransactions address={hash} /> },
          { name: 'transfers', label: 'Token transfers', render: () => <AddressTransfers address={hash} /> },
          { name: 'tokens', label: 'Tokens', render: () => <AddressTokens address={hash} /> },
          { name: 'nfts', label: 'NFTs', render: () => <Items address={hash} /> },
        ]}
      />
    </>
  )
}

interface PartProps {
  readonly address: string
}

function AddressTransactions({ address }: PartProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/transactions', { address, limit: 20 })
  return <EvmTransactionList list={list} whenEmpty="This address has sent nothing and was sent nothing." />
}

function AddressTransfers({ address }: PartProps): ReactNode {
  return <EvmTransfers list={useList('/flow/evm/address/{address}/token-transfers', { address, limit: 20 })} />
}

const tokenColumns = [{ name: 'Token' }, { name: 'Balance', isNumber: true }]

function AddressTokens({ address }: PartProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/token', { address, limit: 50 })
  return (
    <ListPanel
      list={list}
      what="tokens"
      columns={tokenColumns}
      whenEmpty="This address holds no tokens of the EVM."
      renderRow={({ token, value }) => (
        <Row key={`${token.address} ${token.type}`}>
          <RowName>
            <Link to={paths.evmToken(token.address)}>{sanitizeName(token.name ?? shorten(token.address))}</Link>
          </RowName>
          <Cell label="Balance" className="number">
            {formatEvmAmount(value, token, sanitizeName(token.symbol ?? '', ''))}
          </Cell>
        </Row>
      )}
    />
  )
}

function Items({ address }: PartProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/nft', { address, limit: 50 })
  return (
    <ListPanel
      list={list}
      what="NFTs"
      columns={[{ name: 'NFT' }, { name: 'Kind' }, { name: 'Count', isNumber: true }]}
      whenEmpty="This address holds no NFTs of the EVM."
      renderRow={({ token, token_id: id, value }) => (
        <Row key={`${token.address} ${id}`}>
          <RowName>
            <Link to={paths.evmToken(token.address)}>
              {sanitizeName(token.name ?? shorten(token.address))} #{id}
            </Link>
          </RowName>
          <Cell label="Kind">
            <Badge>{token.type}</Badge>
          </Cell>
          <Cell label="Count" className="number">
            {formatAmount(value)}
          </Cell>
        </Row>
      )}
    />
  )
}

export function EvmTokenPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/evm/token/{address}', { address })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="EVM token"
        title={sanitizeName(found?.name ?? shorten(address))}
        aside={found !== undefined && <Badge>{found.type}</Badge>}
      />
      <Answer query={query} what="this EVM token" rows={5}>
        {({ data: [token] }) => token !== undefined && <TokenParts token={token} />}
      </Answer>
    </>
  )
}

function TokenParts({ token }: { readonly token: EvmToken }): ReactNode {
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
      <AddressTabs
        label="Parts of the EVM token"
        tabs={[
          { name: 'transfers', label: 'Transfers', render: () => <TokenTransfers address={token.address} /> },
          { name: 'holders', label: 'Holders', render: () => <Holders token={token} /> },
        ]}
      />
    </>
  )
}

function TokenTransfers({ address }: { readonly address: string }): ReactNode {
  return <EvmTransfers list={useList('/flow/evm/token/{address}/token-transfers', { address, limit: 25 })} />
}

function Holders({ token }: { readonly token: EvmToken }): ReactNode {
  const list = useList('/flow/evm/token/{address}/holding', { address: token.address, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="holders"
      columns={[{ name: 'Address' }, { name: 'Balance', isNumber: true }]}
      whenEmpty="Nobody holds this token."
      renderRow={({ address, value }) => (
        <Row key={address.hash}>
          <RowName>
            <EvmPartyLink party={address} />
          </RowName>
          <Cell label="Balance" className="number">
            {formatEvmAmount(value, token, sanitizeName(token.symbol ?? '', ''))}
          </Cell>
        </Row>
      )}
    />
  )
}
