import type { ReactNode } from 'react'
import { Age } from '../../kit/time.tsx'
import { Button, Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Amount, AccountLink, BlockLink, Identity } from '../parts/values.tsx'
import { ListPanel } from '../parts/lists.tsx'
import { PageTitle } from '../parts/page.tsx'
import { useList } from '../api.ts'
import { useSearchValue } from '../../kit/router.tsx'
import type { PageProps } from '../pages.ts'
import { shorten } from '../text.ts'

const accountColumns = [
  { name: 'Account' },
  { name: 'Balance in FLOW', isNumber: true },
  { name: 'Transactions', isNumber: true },
  { name: 'Created in block', isNumber: true },
  { name: 'Last active', isNumber: true },
]

/** The orders of the list, the usual one first. */
const orders = [
  { sort: 'block_height', name: 'Last active' },
  { sort: 'flow_balance', name: 'Most FLOW' },
  { sort: 'tx_count', name: 'Most transactions' },
  { sort: 'first_seen', name: 'Newest' },
] as const

export function AccountsPage(): ReactNode {
  const [chosen, choose] = useSearchValue('sort')
  const order = orders.find(({ sort }) => sort === chosen) ?? orders[0]
  const list = useList('/flow/account', { limit: 25, sort_by: order.sort })
  return (
    <>
      <PageTitle title="Accounts" />
      <ListPanel
        list={list}
        what="accounts"
        columns={accountColumns}
        header={
          <header>
            <div className="button-row" role="group" aria-label="Order">
              {orders.map(({ sort, name }) => (
                <Button
                  key={sort}
                  isSmall
                  aria-pressed={sort === order.sort}
                  onClick={() => choose(sort === orders[0].sort ? '' : sort)}
                >
                  {name}
                </Button>
              ))}
            </div>
          </header>
        }
        whenEmpty="Accounts show up with the first block in which they do something."
        renderRow={(account) => (
          <Row key={account.address}>
            <RowName>
              <AccountLink address={account.address} hasCopy />
            </RowName>
            <Cell label="Balance in FLOW" className="number">
              <Amount amount={account.flow_balance} />
            </Cell>
            <Cell label="Transactions" className="number">
              {formatNumber(account.tx_count)}
            </Cell>
            <Cell label="Created in block" className="number">
              {account.created_height === null ? (
                <span className="soft">–</span>
              ) : (
                <BlockLink height={account.created_height} />
              )}
            </Cell>
            <Cell label="Last active" className="number">
              {account.timestamp === null ? '–' : <Age since={account.timestamp} />}
            </Cell>
          </Row>
        )}
      />
    </>
  )
}

const keyColumns = [
  { name: 'Account' },
  { name: 'Index', isNumber: true },
  { name: 'Algorithms' },
  { name: 'Added in block' },
  { name: 'State' },
]

/** The accounts that have a public key. */
export function PublicKeyPage({ values: { publicKey = '' } }: PageProps): ReactNode {
  const list = useList('/flow/key/{publicKey}', { publicKey, limit: 25 })
  return (
    <>
      <PageTitle kind="Public key" title={shorten(publicKey)}>
        <Identity id={publicKey} what="public key" hasCopy />
      </PageTitle>
      <ListPanel
        list={list}
        what="accounts with this key"
        columns={keyColumns}
        renderRow={(key) => (
          <Row key={`${key.address} ${key.key_index}`}>
            <RowName>
              <AccountLink address={key.address} />
            </RowName>
            <Cell label="Index" className="number">
              {key.key_index}
            </Cell>
            <Cell label="Algorithms">
              {key.signing_algorithm ?? '–'}{' '}
              <span className="soft">with {key.hashing_algorithm ?? 'an unknown hash'}</span>
            </Cell>
            <Cell label="Added in block">
              {key.added_height === null ? (
                <span className="soft">not indexed</span>
              ) : (
                <BlockLink height={key.added_height} />
              )}
            </Cell>
            <Cell label="State">
              {key.revoked ? <Badge tone="bad">Revoked</Badge> : <Badge tone="good">Valid</Badge>}
            </Cell>
          </Row>
        )}
      />
    </>
  )
}
