import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Loading } from '../../kit/state.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { AccountDetail, Answers } from '../answers.gen.ts'
import type { PageProps } from '../pages.ts'
import { AccountKeys, AccountNfts, AccountStaking, AccountStorage, AccountTransfers } from './account-tabs.tsx'
import {
  AddressTabs,
  KeyNumber,
  KeyNumbers,
  Detail,
  DetailList,
  PageTitle,
  SpanChoice,
  useSpan,
} from '../parts/page.tsx'
import { Amount, Identity, AccountLink, BlockLink, TransactionLink, Moment, TokenName } from '../parts/values.tsx'
import { Answer, Trouble, ListPanel } from '../parts/lists.tsx'
import { ContractRow, contractColumns, TransactionRow, transactionColumns } from '../parts/rows.tsx'
import { EvmTransactionList } from '../parts/evm.tsx'
import { useAnswer, useList } from '../api.ts'
import { formatAmount, formatBytes, sanitizeName, shorten, formatDollars } from '../text.ts'

export function AccountPage({ values: { address = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/account/{address}', { address })
  const account = query.data?.data[0]
  // Whether there is a chart is known before anything is shown, so that nothing moves when it comes.
  const isDrawn = !useBalanceHistory(address).isPending
  return (
    <>
      <PageTitle
        kind="Account"
        title={account?.address ?? shorten(address)}
        aside={account?.labels.map(({ tag, label }) => (
          <Badge key={tag} tone="busy">
            {sanitizeName(label)}
          </Badge>
        ))}
      >
        <Identity id={account?.address ?? address} what="address" isWhole hasCopy />
      </PageTitle>
      <Answer query={query} what="this account" rows={8}>
        {({ data: [found] }) =>
          found !== undefined &&
          (isDrawn ? <Parts account={found} /> : <Loading rows={8} label="Loading this account" />)
        }
      </Answer>
    </>
  )
}

function Parts({ account }: { readonly account: AccountDetail }): ReactNode {
  const { address, balance, available_balance: available, contract_count: contracts } = account
  const evmAddress = useEvmAddress(address)
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Balance" note={available === null ? undefined : `${formatAmount(available)} available`}>
          {balance === null ? '–' : `${formatAmount(balance)} FLOW`}
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
          No access node answers at the moment: balance and keys are as of what is indexed
          {account.as_of_height === null ? '' : `, block ${formatNumber(account.as_of_height)}`}.
        </p>
      )}
      <BalanceChart address={address} />
      <AddressTabs
        label="Parts of the account"
        tabs={[
          { name: 'transactions', label: 'Transactions', render: () => <Transactions address={address} /> },
          { name: 'transfers', label: 'Transfers', render: () => <AccountTransfers address={address} /> },
          { name: 'tokens', label: 'Tokens', render: () => <AccountTokens address={address} /> },
          { name: 'nfts', label: 'NFTs', render: () => <AccountNfts address={address} /> },
          ...(evmAddress === undefined
            ? []
            : [{ name: 'evm', label: 'EVM', render: () => <AccountEvmSide address={evmAddress} /> }]),
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

function Transactions({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/account/{address}/transaction', { address, limit: 20 })
  return (
    <ListPanel
      list={list}
      what="transactions"
      columns={transactionColumns}
      whenEmpty="This account has paid, proposed or authorized nothing so far."
      renderRow={(transaction) => <TransactionRow key={transaction.id} transaction={transaction} />}
    />
  )
}

function AccountContracts({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/contract', { address, limit: 50 })
  return (
    <ListPanel
      list={list}
      what="contracts"
      columns={contractColumns}
      whenEmpty="No contract was deployed to this account."
      renderRow={(contract) => <ContractRow key={contract.id} contract={contract} />}
    />
  )
}

/** The address in the EVM by which an account acts there; undefined where it has none, and until that is known. */
function useEvmAddress(account: string): string | undefined {
  const { data } = useAnswer('/flow/search/preview', { q: account })
  return data?.data.type === 'address' ? data.data.link?.coa_address : undefined
}

/** What an account does in the EVM. */
function AccountEvmSide({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/evm/address/{address}/transactions', { address, limit: 20 })
  return (
    <>
      <p className="lead">
        In the EVM this account acts as <AccountLink address={address} isWhole hasCopy />
      </p>
      <EvmTransactionList list={list} whenEmpty="This account has done nothing in the EVM so far." />
    </>
  )
}

const columns = [{ name: 'Token' }, { name: 'Balance', isNumber: true }, { name: 'Value', isNumber: true }]

function AccountTokens({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/account/{address}/ft', { address, limit: 50 })
  return (
    <ListPanel
      list={list}
      what="tokens"
      columns={columns}
      whenEmpty="This account holds no fungible tokens."
      renderRow={(vault) => (
        <Row key={vault.token}>
          <RowName>
            <TokenName token={vault} id={vault.token} />
          </RowName>
          <Cell label="Balance" className="number">
            <Amount amount={vault.balance} />
            {!vault.is_complete && <span className="soft"> or more</span>}
          </Cell>
          <Cell label="Value" className="number">
            {vault.usd_value === null ? <span className="soft">–</span> : formatDollars(vault.usd_value)}
          </Cell>
        </Row>
      )}
    />
  )
}

/** What an account had at the end of each day, for as many days as the address of the page says. */
function useBalanceHistory(address: string): UseQueryResult<Answers['/flow/account/{address}/balance/history']> {
  const days = useSpan()
  return useAnswer('/flow/account/{address}/balance/history', { address, days }, { keepsLast: true })
}

/** How the balance of an account went. */
function BalanceChart({ address }: { readonly address: string }): ReactNode {
  const query = useBalanceHistory(address)
  if (query.isError) {
    return (
      <section className="panel" aria-label="Balance over time">
        <Trouble error={query.error} what="the balance over time" onRetry={() => void query.refetch()} />
      </section>
    )
  }
  const points = (query.data?.data ?? []).flatMap(({ date, balance }) =>
    balance === null ? [] : [{ date, value: Number(balance), text: `${formatAmount(balance)} FLOW` }],
  )
  // One day is no course of things; what the account has now stands above.
  if (points.length < 2) return null
  return (
    <section className="panel chart-panel" aria-label="Balance over time">
      <TimeChart label="Balance" points={points} height={150} />
      <p className="soft small">
        At the end of each day, of all vaults, as indexed events say. It can differ from the balance on the chain above:
        by newer blocks, by other vaults, and by what the account had before the first indexed block.
      </p>
      <SpanChoice />
    </section>
  )
}

/** Where an account comes from, and how well it is known. */
function AccountAbout({ account }: { readonly account: AccountDetail }): ReactNode {
  const { created_height: height, created_by_transaction: creator } = account
  return (
    <section className="panel" aria-label="About">
      <DetailList>
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
          <Detail name="Known as">{account.labels.map(({ label }) => sanitizeName(label)).join(', ')}</Detail>
        )}
        <Detail name="Data from">
          {account.source === 'chain' ? 'the chain itself' : 'what is indexed'}
          {account.as_of_height !== null && `, at block ${formatNumber(account.as_of_height)}`}
        </Detail>
      </DetailList>
    </section>
  )
}
