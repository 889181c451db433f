import type { ReactNode } from 'react'
import { ContractRow, contractColumns } from '../parts/contract-row.tsx'
import { ListFilter } from '../parts/list-filter.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useList } from '../queries.ts'
import { useSearchValue } from '../../kit/router.ts'

export function ContractsPage(): ReactNode {
  const [name] = useSearchValue('search')
  const list = useList('/flow/contract', { limit: 25, name })
  return (
    <>
      <PageTitle title="Contracts" aside={<ListFilter label="Name of a contract" />} />
      <ListPanel
        list={list}
        what="contracts"
        columns={contractColumns}
        whenEmpty={name === '' ? 'Contracts show up when they are deployed.' : 'No contract is called so.'}
        renderRow={(contract) => <ContractRow key={contract.id} contract={contract} />}
      />
    </>
  )
}
