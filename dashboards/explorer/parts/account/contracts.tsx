import type { ReactNode } from 'react'
import { useList } from '../../queries.ts'
import { ContractRow, contractColumns } from '../contract-row.tsx'
import { ListPanel } from '../list-panel.tsx'

export function AccountContracts({ address }: { readonly address: string }): ReactNode {
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
