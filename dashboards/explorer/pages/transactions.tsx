import type { ReactNode } from 'react'
import { ListPanel } from '../parts/list-panel.tsx'
import { Link } from '../link.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { TransactionRow, transactionColumns } from '../parts/transaction-row.tsx'
import { useList } from '../queries.ts'

export function TransactionsPage(): ReactNode {
  const list = useList('/flow/transaction', { limit: 25 })
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
        whenEmpty="The first ones show up as soon as blocks with transactions are indexed."
        renderRow={(transaction) => <TransactionRow key={transaction.id} transaction={transaction} />}
      />
    </>
  )
}
