import type { ReactNode } from 'react'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { StakingEvents } from '../parts/staking-events.tsx'
import { EpochCharts } from '../parts/staking/epoch-charts.tsx'
import { Epochs } from '../parts/staking/epochs.tsx'
import { Nodes } from '../parts/staking/nodes.tsx'
import { StakingNumbers } from '../parts/staking/numbers.tsx'
import { useList } from '../queries.ts'

/** Staking: the nodes that run the network, its epochs, and what they were paid. */
export function NodesPage(): ReactNode {
  return (
    <>
      <PageTitle title="Staking" />
      <StakingNumbers />
      <EpochCharts />
      <AddressTabs
        label="Parts of staking"
        tabs={[
          { name: 'nodes', label: 'Nodes', render: () => <Nodes /> },
          { name: 'epochs', label: 'Epochs', render: () => <Epochs /> },
          { name: 'rewards', label: 'Rewards', render: () => <Rewards /> },
        ]}
      />
    </>
  )
}

function Rewards(): ReactNode {
  const list = useList('/staking/rewards/paid', { limit: 25 })
  return <StakingEvents list={list} what="rewards" whenEmpty="Rewards are paid at the end of an epoch." />
}
