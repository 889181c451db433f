import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import { useApi, useList } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { useSorting } from '../parts/filters.tsx'
import { TableList, totalOf } from '../parts/lists.tsx'
import { PageTitle } from '../parts/page.tsx'
import { Algorithms, Amount, AccountLink, BlockLink, Identity, KeyStatus, NoValue } from '../parts/values.tsx'
import { sanitizeName, shorten } from '../text.ts'

const accountColumns: readonly Column<ItemOf<'/flow/account'>>[] = [
  {
    name: 'Account',
    cell: ({ address, label }) => (
      <>
        <AccountLink address={address} hasCopy /> {label !== null && <Badge tone="busy">{sanitizeName(label)}</Badge>}
      </>
    ),
    inCards: 'top',
  },
  {
    name: 'Balance in FLOW',
    cell: ({ flow_balance: balance }) => (
      <>
        <Amount amount={balance} />
        {balance !== null && <span className="narrow-only"> FLOW</span>}
      </>
    ),
    isNumber: true,
    inCards: 'top-end',
    order: 'flow_balance',
  },
  {
    name: 'Transactions',
    cell: ({ tx_count: count }) => (
      <>
        {formatNumber(count)}
        <span className="narrow-only">{count === 1 ? ' transaction' : ' transactions'}</span>
      </>
    ),
    isNumber: true,
    inCards: 'bottom',
    order: 'tx_count',
  },
  {
    name: 'Created in block',
    cell: ({ created_height: height }) => (height === null ? <NoValue /> : <BlockLink height={height} />),
    isNumber: true,
    inCards: 'hidden',
    order: 'first_seen',
  },
  {
    name: 'Last active',
    cell: ({ timestamp }) => (timestamp === null ? <NoValue /> : <Age since={timestamp} />),
    isNumber: true,
    inCards: 'bottom-end',
    order: 'block_height',
  },
]

const orders = [
  { sort: 'block_height', label: 'Last active' },
  { sort: 'flow_balance', label: 'Highest balance' },
  { sort: 'tx_count', label: 'Most transactions' },
  { sort: 'first_seen', label: 'Newest' },
] as const

export function AccountsPage(): ReactNode {
  const sorting = useSorting(orders)
  const { data: status } = useApi('/status')
  return (
    <>
      <PageTitle title="Accounts" />
      <TableList
        list={useList('/flow/account', { limit: 25, sort_by: sorting.order })}
        what="accounts"
        columns={accountColumns}
        itemKey={({ address }) => address}
        sorting={sorting}
        // Sorting by balance or transactions omits accounts without any.
        total={
          sorting.order === 'flow_balance' || sorting.order === 'tx_count'
            ? undefined
            : totalOf(status?.total_addresses)
        }
        emptyText="Accounts will appear here as soon as blocks with their activity are indexed."
      />
    </>
  )
}

const keyColumns: readonly Column<ItemOf<'/flow/key/{publicKey}'>>[] = [
  { name: 'Account', cell: ({ address }) => <AccountLink address={address} /> },
  { name: 'Index', cell: ({ key_index: index }) => index, isNumber: true },
  {
    name: 'Algorithms',
    cell: ({ signing_algorithm: signing, hashing_algorithm: hashing }) => (
      <Algorithms signing={signing} hashing={hashing} />
    ),
  },
  {
    name: 'Added in block',
    cell: ({ added_height: height }) => (height === null ? <NoValue /> : <BlockLink height={height} />),
  },
  { name: 'Status', cell: ({ revoked }) => <KeyStatus isRevoked={revoked} /> },
]

export function PublicKeyPage({ values: { publicKey = '' } }: PageProps): ReactNode {
  return (
    <>
      <PageTitle kind="Public key" title={shorten(publicKey)}>
        <Identity id={publicKey} what="public key" hasCopy />
      </PageTitle>
      <TableList
        list={useList('/flow/key/{publicKey}', { publicKey, limit: 25 })}
        what="accounts with this key"
        columns={keyColumns}
        itemKey={({ address, key_index: index }) => `${address} ${index}`}
      />
    </>
  )
}
