import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Loading } from '../../kit/state.tsx'
import type { AccountDetail } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { AccountAbout } from '../parts/account/about.tsx'
import { BalanceChart, useBalanceHistory } from '../parts/account/balance-chart.tsx'
import { AccountContracts } from '../parts/account/contracts.tsx'
import { AccountEvmSide, useEvmAddress } from '../parts/account/evm-side.tsx'
import { AccountKeys } from '../parts/account/keys.tsx'
import { AccountNfts } from '../parts/account/nfts.tsx'
import { AccountStaking } from '../parts/account/staking.tsx'
import { AccountStorage } from '../parts/account/storage.tsx'
import { AccountTokens } from '../parts/account/tokens.tsx'
import { AccountTransfers } from '../parts/account/transfers.tsx'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { Identity } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { TransactionRow, transactionColumns } from '../parts/transaction-row.tsx'
import { useAnswer, useList } from '../queries.ts'
import { formatAmount, formatBytes, sayName, shorten } from '../text.ts'

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
            {sayName(label)}
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
