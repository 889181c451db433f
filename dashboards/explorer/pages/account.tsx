import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatCount, formatNumber, formatTime, splitAmount } from '../../kit/formats.ts'
import { Loading } from '../../kit/state.tsx'
import type { Column } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { AccountDetail, Answers } from '../answers.gen.ts'
import { useApi, useList } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { EvmTransactionList } from '../parts/evm.tsx'
import { useFilterValues } from '../parts/filters.tsx'
import { ItemResult, LoadError, TableList } from '../parts/lists.tsx'
import { UrlTabs, KeyNumber, KeyNumbers, Detail, DetailPanel, PageTitle, DaysButtons, useDays } from '../parts/page.tsx'
import { ContractList, transactionFilters, TransactionList } from '../parts/rows.tsx'
import {
  Amount,
  Identity,
  AccountLink,
  BlockLink,
  TransactionLink,
  Moment,
  NoValue,
  TokenName,
} from '../parts/values.tsx'
import { formatAmount, formatBytes, sanitizeName, shorten, formatDollars } from '../text.ts'
import {
  AccountCounterparties,
  AccountKeys,
  AccountNfts,
  AccountStaking,
  AccountStorage,
  AccountTransfers,
} from './account-tabs.tsx'

export function AccountPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/account/{address}', { address })
  const account = query.data?.data[0]
  const isReady = ![useBalanceHistory(address), usePortfolio(address)].some(({ isPending }) => isPending)
  return (
    <>
      <PageTitle
        kind="Account"
        title={account?.address ?? shorten(address)}
        aside={
          account !== undefined &&
          account.labels.length > 0 && (
            <div className="button-row">
              {account.labels.map(({ tag, label }) => (
                <Badge key={tag} tone="busy">
                  {sanitizeName(label)}
                </Badge>
              ))}
            </div>
          )
        }
      >
        <Identity id={account?.address ?? address} what="address" isWhole hasCopy />
      </PageTitle>
      <ItemResult query={query} what="this account" rows={8}>
        {(found) => (isReady ? <AccountView account={found} /> : <Loading rows={8} label="Loading this account…" />)}
      </ItemResult>
    </>
  )
}

function AccountView({ account }: { readonly account: AccountDetail }): ReactNode {
  const { address, balance, available_balance: available, contract_count: contracts } = account
  const evmAddress = useEvmAddress(address)
  return (
    <>
      <KeyNumbers>
        <TotalValue address={address} />
        <KeyNumber
          name="Balance"
          note={
            available === null ? undefined : (
              <>
                <Amount amount={available} decimals={2} /> available
              </>
            )
          }
        >
          <Amount amount={balance} unit="FLOW" decimals={2} />
        </KeyNumber>
        <KeyNumber
          name="Transactions"
          note={account.last_seen_at === null ? undefined : 'as payer, proposer or authorizer'}
        >
          {formatNumber(account.tx_count)}
        </KeyNumber>
        <KeyNumber name="Keys">{formatNumber(account.key_count)}</KeyNumber>
        <KeyNumber name="Contracts">{formatNumber(contracts)}</KeyNumber>
        {account.storage_used !== null && (
          <KeyNumber
            name="Storage used"
            note={account.storage_capacity === null ? undefined : `of ${formatBytes(Number(account.storage_capacity))}`}
          >
            {formatBytes(Number(account.storage_used))}
          </KeyNumber>
        )}
      </KeyNumbers>
      {account.source === 'index' && (
        <p className="banner">
          No access node is reachable. Balance and keys are from the index
          {account.as_of_height === null ? '' : `, at block ${formatNumber(account.as_of_height)}`}.
        </p>
      )}
      <AccountCharts address={address} />
      <UrlTabs
        label="Account"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <Transactions account={account} /> },
          { name: 'transfers', label: 'Transfers', render: () => <AccountTransfers address={address} /> },
          { name: 'tokens', label: 'Tokens', render: () => <AccountTokens address={address} /> },
          {
            name: 'counterparties',
            label: 'Counterparties',
            render: () => <AccountCounterparties address={address} />,
          },
          { name: 'nfts', label: 'NFTs', render: () => <AccountNfts address={address} /> },
          ...(evmAddress === undefined
            ? []
            : [{ name: 'evm', label: 'EVM', render: () => <AccountEvm address={evmAddress} /> }]),
          { name: 'staking', label: 'Staking', render: () => <AccountStaking address={address} /> },
          { name: 'keys', label: `Keys ${account.key_count}`, render: () => <AccountKeys keys={account.keys} /> },
          { name: 'contracts', label: `Contracts ${contracts}`, render: () => <AccountContracts address={address} /> },
          { name: 'storage', label: 'Storage', render: () => <AccountStorage address={address} /> },
          { name: 'about', label: 'About', render: () => <AccountAbout account={account} /> },
        ]}
      />
    </>
  )
}

interface AddressProps {
  readonly address: string
}

function Transactions({ account: { address, tx_count: count } }: { readonly account: AccountDetail }): ReactNode {
  const filterValues = useFilterValues(transactionFilters)
  const list = useList('/flow/account/{address}/transaction', { ...filterValues, address, limit: 20 })
  return (
    <TransactionList
      list={list}
      filters={transactionFilters}
      total={{ count }}
      emptyText="Transactions that this account pays, proposes or authorizes will appear here."
    />
  )
}

function AccountContracts({ address }: AddressProps): ReactNode {
  const list = useList('/flow/contract', { address, limit: 50 })
  return <ContractList list={list} emptyText="Contracts deployed to this account will appear here." />
}

function useEvmAddress(account: string): string | undefined {
  const { data } = useApi('/flow/search/preview', { q: account })
  return data?.data.type === 'address' ? data.data.link?.coa_address : undefined
}

function AccountEvm({ address }: AddressProps): ReactNode {
  const list = useList('/flow/evm/address/{address}/transactions', { address, limit: 20 })
  return (
    <>
      <p className="lead">
        EVM address of this account: <AccountLink address={address} isWhole hasCopy />
      </p>
      <EvmTransactionList list={list} emptyText="EVM transactions of this account will appear here." />
    </>
  )
}

const tokenColumns: readonly Column<ItemOf<'/flow/account/{address}/ft'>>[] = [
  { name: 'Token', cell: (vault) => <TokenName token={vault} id={vault.token} />, inCards: 'top' },
  {
    name: 'Balance',
    cell: ({ balance, is_complete: isComplete }) => (
      <>
        <Amount amount={balance} />
        {!isComplete && <span className="soft"> or more</span>}
      </>
    ),
    isNumber: true,
    inCards: 'bottom',
  },
  {
    name: 'Value',
    cell: ({ usd_value: dollars }) => (dollars === null ? <NoValue /> : formatDollars(dollars)),
    isNumber: true,
    inCards: 'top-end',
  },
]

function AccountTokens({ address }: AddressProps): ReactNode {
  return (
    <TableList
      list={useList('/flow/account/{address}/ft', { address, limit: 50 })}
      what="tokens"
      columns={tokenColumns}
      itemKey={({ token }) => token}
      emptyText="This account holds no fungible tokens."
    />
  )
}

function useBalanceHistory(address: string): UseQueryResult<Answers['/flow/account/{address}/balance/history']> {
  const days = useDays()
  return useApi('/flow/account/{address}/balance/history', { address, days }, { keepsPrevious: true })
}

function usePortfolio(address: string): UseQueryResult<Answers['/flow/account/{address}/portfolio']> {
  const days = useDays()
  return useApi('/flow/account/{address}/portfolio', { address, days }, { keepsPrevious: true })
}

/** Hidden if the account holds no token with a known price. */
function TotalValue({ address }: AddressProps): ReactNode {
  const portfolio = usePortfolio(address).data?.data[0]
  if (portfolio === undefined || portfolio.usd_value === null) return null
  const { usd_value: dollars, as_of: asOf, unpriced_count: unpriced } = portfolio
  return (
    <KeyNumber
      name="Value of tokens"
      note={unpriced === 0 ? 'in US dollars' : `without ${formatCount(unpriced, 'token')} of unknown price`}
    >
      <span title={asOf === null ? undefined : `Prices of ${formatTime(asOf)} or later`}>{formatDollars(dollars)}</span>
    </KeyNumber>
  )
}

function AccountCharts({ address }: AddressProps): ReactNode {
  const query = useBalanceHistory(address)
  const days = usePortfolio(address).data?.data[0]?.days ?? []
  if (query.isError) {
    return (
      <section className="panel" aria-label="Balance history">
        <LoadError error={query.error} what="the balance history" onRetry={() => void query.refetch()} />
      </section>
    )
  }
  const values = days.flatMap(({ date, usd_value: dollars, is_complete: isComplete }) =>
    dollars === null
      ? []
      : [{ date, value: Number(dollars), text: `${formatDollars(dollars)}${isComplete ? '' : ' or more'}` }],
  )
  const balances = (query.data?.data ?? []).flatMap(({ date, balance }) =>
    balance === null ? [] : [{ date, value: Number(balance), text: `${splitAmount(formatAmount(balance))[0]} FLOW` }],
  )
  if (balances.length < 2) return null
  return (
    <section className="panel chart-panel" aria-label="Balance history">
      <div className={values.length < 2 ? 'stack' : 'two-columns'}>
        {values.length >= 2 && <TimeChart label="Value of tokens" points={values} height={150} isLastPartial />}
        <TimeChart label="Balance" points={balances} height={150} isLastPartial />
      </div>
      <p className="soft small">
        All vaults at the end of each day, from indexed events. It can differ from the balance above because of newer
        blocks, unindexed vaults, or balances from before the first indexed block.
        {values.length >= 2 && ' Values are at the last prices of each day, without NFTs and tokens on the EVM.'}
      </p>
      <DaysButtons />
    </section>
  )
}

function AccountAbout({ account }: { readonly account: AccountDetail }): ReactNode {
  const { created_height: height, created_by_transaction: creator } = account
  return (
    <DetailPanel label="About">
      <Detail name="Created">
        <Moment at={account.created_at} />
        {height !== null && (
          <>
            {' '}
            in block <BlockLink height={height} />
          </>
        )}
      </Detail>
      {creator !== null && (
        <Detail name="Created by">
          <TransactionLink id={creator} height={height} />
        </Detail>
      )}
      <Detail name="First seen">
        <Moment at={account.first_seen_at} />
      </Detail>
      <Detail name="Last seen">
        <Moment at={account.last_seen_at} />
      </Detail>
      {account.labels.length > 0 && (
        <Detail name="Labels">{account.labels.map(({ label }) => sanitizeName(label)).join(', ')}</Detail>
      )}
      <Detail name="Data source">
        {account.source === 'chain' ? 'access node' : 'index'}
        {account.as_of_height !== null && `, at block ${formatNumber(account.as_of_height)}`}
      </Detail>
    </DetailPanel>
  )
}
