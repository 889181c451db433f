import type { ReactNode } from 'react'
import { ListPanel } from '../parts/list-panel.tsx'
import { Link } from '../../kit/link.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { TransactionRow, transactionColumns } from '../parts/transaction-row.tsx'
import { itemsOf, useList } from '../queries.ts'
import { useSearchValue } from '../../kit/router.ts'
import { isOfPeople } from '../told-summary.ts'

export function TransactionsPage(): ReactNode {
  const [shown, show] = useSearchValue('show')
  const list = useList('/flow/transaction', { limit: 60 })
  const hasAll = shown === 'all'
  return (
    <>
      <PageTitle
        title="Transactions"
        aside={
          <nav className="button-row" aria-label="Other transactions">
            <Link className="button" to="/scheduled">
              Scheduled
            </Link>
            <Link className="button" to="/evm">
              EVM
            </Link>
          </nav>
        }
      />
      <ListPanel
        list={list}
        what="transactions"
        columns={transactionColumns}
        header={
          <header>
            <label className="check-label">
              <input
                type="checkbox"
                className="check"
                checked={hasAll}
                onChange={({ target }) => show(target.checked ? 'all' : '')}
              />
              Also those that the chain makes by itself in each block
            </label>
          </header>
        }
        isShown={(transaction) => hasAll || isOfPeople(transaction)}
        whenEmpty={
          itemsOf(list).length > 0
            ? 'Nobody sent anything of late: all that there is, the chain made by itself.'
            : 'The first ones show up as soon as blocks with transactions are indexed.'
        }
        renderRow={(transaction) => (
          <TransactionRow key={`${transaction.block_height} ${transaction.id}`} transaction={transaction} />
        )}
      />
    </>
  )
}
