import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Button } from '../../kit/button.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Amount } from '../parts/amount.tsx'
import { AccountLink, BlockLink } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useList } from '../queries.ts'
import { useSearchValue } from '../../kit/router.ts'

const columns = [
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
        columns={columns}
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
