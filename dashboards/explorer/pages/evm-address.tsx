import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import type { EvmAddress } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { EvmAmount, EvmTokenName, EvmTransactionList, EvmTransfers, evmTransactionFilters } from '../parts/evm.tsx'
import { dayFilter, useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { CardList, ItemResult, TableList } from '../parts/lists.tsx'
import { UrlTabs, PageTitle, Detail, DetailPanel, KeyNumber, KeyNumbers } from '../parts/page.tsx'
import { ReadContract } from './evm-read.tsx'
import { EvmSource, VerifyForm } from './evm-source.tsx'
import {
  AccountLink,
  Amount,
  BlockLink,
  EvmPartyLink,
  EvmTransactionLink,
  Identity,
  NoValue,
  Picture,
} from '../parts/values.tsx'
import { paths, sanitizeName, shorten, formatAmount, formatBytes, formatDollars } from '../text.ts'

export function EvmAddressPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/evm/address/{address}', { address })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind={found?.is_contract === true && !found.is_coa ? 'EVM contract' : 'EVM address'}
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

function kindOf({ is_coa: isCoa, is_contract: isContract, code_size: size }: EvmAddress): string {
  if (isCoa) return 'Cadence-owned account'
  if (isContract === null) return 'Unknown'
  if (!isContract) return 'Account'
  return size === null ? 'Contract' : `Contract, ${formatBytes(size)}`
}

function AddressView({ address }: { readonly address: EvmAddress }): ReactNode {
  const { hash, flow_address: owner, token, creator, creation_transaction_hash: creation } = address
  const { flow_balance: balance, nonce, is_contract: isContract } = address
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Balance" note={balance === null ? 'No access node responds.' : undefined}>
          {balance === null ? <NoValue /> : <Amount amount={balance} unit="FLOW" decimals={2} />}
        </KeyNumber>
        <KeyNumber name="Nonce">{nonce === null ? <NoValue /> : formatNumber(Number(nonce))}</KeyNumber>
        <KeyNumber name="Kind">{kindOf(address)}</KeyNumber>
      </KeyNumbers>
      <DetailPanel label="Address">
        <Detail name="Address">
          <Identity id={hash} what="address" isWhole hasCopy />
        </Detail>
        {owner !== null && (
          <Detail name="Owner">
            <AccountLink address={owner} isWhole hasCopy />
          </Detail>
        )}
        {token !== null && (
          <Detail name="Token">
            <EvmTokenName token={token} /> <Badge>{token.type}</Badge>
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
          ...(isContract === true && !address.is_coa
            ? [{ name: 'read', label: 'Read contract', render: () => <ReadContract address={hash} /> }]
            : []),
          ...(isContract === true
            ? [{ name: 'code', label: 'Code', render: () => <ContractCode address={address} /> }]
            : []),
        ]}
      />
    </>
  )
}

interface AddressProps {
  readonly address: string
}

const directionFilter: Filter = {
  kind: 'choice',
  name: 'direction',
  label: 'Direction',
  options: { sent: 'Sent', received: 'Received' },
}
const transferFilters: readonly Filter[] = [directionFilter, dayFilter]
const transactionFilters: readonly Filter[] = [directionFilter, ...evmTransactionFilters]

function AddressTransactions({ address }: AddressProps): ReactNode {
  const filters = useFilterValues(transactionFilters)
  const list = useList('/flow/evm/address/{address}/transactions', { address, ...filters, limit: 20 })
  return (
    <EvmTransactionList
      list={list}
      filters={transactionFilters}
      emptyText="Transactions from and to this address will appear here."
    />
  )
}

function AddressTransfers({ address }: AddressProps): ReactNode {
  const filters = useFilterValues(transferFilters)
  const list = useList('/flow/evm/address/{address}/token-transfers', { address, ...filters, limit: 20 })
  return <EvmTransfers list={list} filters={transferFilters} address={address} />
}

const balanceColumns: readonly Column<ItemOf<'/flow/evm/address/{address}/token'>>[] = [
  { name: 'Token', cell: ({ token }) => <EvmTokenName token={token} /> },
  { name: 'Kind', cell: ({ token }) => <Badge>{token.type}</Badge> },
  {
    name: 'Balance',
    cell: ({ token, value }) => <EvmAmount value={value} token={token} unit={sanitizeName(token.symbol ?? '', '')} />,
    isNumber: true,
  },
  {
    name: 'Value',
    cell: ({ usd_value: dollars }) => (dollars === null ? <NoValue /> : formatDollars(dollars)),
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

function AddressNfts({ address }: AddressProps): ReactNode {
  return (
    <CardList
      list={useList('/flow/evm/address/{address}/nft', { address, limit: 48 })}
      what="NFTs"
      emptyText="This address holds no EVM NFTs."
      renderCard={({ token, token_id: id, name, image_url: image, value }) => (
        <li className="card" key={`${token.address} ${token.type} ${id}`}>
          <Link to={paths.evmToken(token.address)}>
            <Picture source={image} alt="" size="fill" seed={`${token.address} ${id}`} />
            <span className="card-name">{sanitizeName(name ?? `#${id}`)}</span>
            <span className="soft">
              {sanitizeName(token.name ?? shorten(token.address))}
              {value !== '1' && ` × ${formatAmount(value)}`}
            </span>
          </Link>
        </li>
      )}
    />
  )
}

function ContractCode({ address }: { readonly address: EvmAddress }): ReactNode {
  const { hash, is_verified: isVerified, creation_transaction_hash: creation } = address
  return (
    <>
      {isVerified ? <EvmSource address={hash} /> : <VerifyForm address={hash} />}
      <Code address={hash} creation={creation} />
    </>
  )
}

interface CodeProps extends AddressProps {
  readonly creation: string | null
}

function Code({ address, creation }: CodeProps): ReactNode {
  const query = useApi('/flow/evm/address/{address}/code', { address })
  return (
    <section className="panel" aria-label="Code">
      <ItemResult query={query} what="the code" rows={6}>
        {({ size, code_hash: hash, bytecode }) => (
          <>
            <dl className="details">
              <Detail name="Size">{formatNumber(size)} bytes</Detail>
              {hash !== null && (
                <Detail name="Code hash">
                  <Identity id={hash} what="code hash" isWhole hasCopy />
                </Detail>
              )}
              {creation !== null && (
                <Detail name="Creation code">
                  Input of <EvmTransactionLink hash={creation} />
                </Detail>
              )}
            </dl>
            <div className="panel-text">
              <h3>Bytecode {bytecode !== null && size > 0 && <CopyButton text={bytecode} what="bytecode" />}</h3>
              {size === 0 && <p className="soft">The chain has no code at this address.</p>}
              {size > 0 && bytecode === null && <p className="soft">The code is too long to show.</p>}
            </div>
            {size > 0 && bytecode !== null && (
              <div className="code-scroll" tabIndex={0} role="group" aria-label="Bytecode">
                <pre className="bytecode">{bytecode}</pre>
              </div>
            )}
          </>
        )}
      </ItemResult>
    </section>
  )
}
