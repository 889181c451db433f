import type { ComponentType } from 'react'
import { lazyPart } from '../kit/lazy-part.ts'
import { matchPath } from '../kit/router.tsx'

export interface PageProps {
  readonly values: Readonly<Record<string, string>>
}

type Load = () => Promise<ComponentType<PageProps>>

const loads: Readonly<Record<string, Load>> = {
  '/': async () => (await import('./pages/home.tsx')).HomePage,
  '/blocks': async () => (await import('./pages/blocks.tsx')).BlocksPage,
  '/block/{height}': async () => (await import('./pages/blocks.tsx')).BlockPage,
  '/transactions': async () => (await import('./pages/transactions.tsx')).TransactionsPage,
  '/transaction/{id}': async () => (await import('./pages/transactions.tsx')).TransactionPage,
  '/script/{hash}': async () => (await import('./pages/script.tsx')).ScriptPage,
  '/accounts': async () => (await import('./pages/accounts.tsx')).AccountsPage,
  '/account/{address}': async () => (await import('./pages/account.tsx')).AccountPage,
  '/tokens': async () => (await import('./pages/tokens.tsx')).TokensPage,
  '/token/{token}': async () => (await import('./pages/tokens.tsx')).TokenPage,
  '/nfts': async () => (await import('./pages/nfts.tsx')).CollectionsPage,
  '/nft/{type}': async () => (await import('./pages/nfts.tsx')).CollectionPage,
  '/nft/{type}/item/{id}': async () => (await import('./pages/nfts.tsx')).ItemPage,
  '/contracts': async () => (await import('./pages/contracts.tsx')).ContractsPage,
  '/contract/{identifier}': async () => (await import('./pages/contracts.tsx')).ContractPage,
  '/evm': async () => (await import('./pages/evm.tsx')).EvmPage,
  '/evm/gas': async () => (await import('./pages/evm-gas.tsx')).EvmGasPage,
  '/evm/block/{number}': async () => (await import('./pages/evm-block.tsx')).EvmBlockPage,
  '/evm/transaction/{hash}': async () => (await import('./pages/evm-transaction.tsx')).EvmTransactionPage,
  '/evm/address/{address}': async () => (await import('./pages/evm-address.tsx')).EvmAddressPage,
  '/evm/token/{address}': async () => (await import('./pages/evm.tsx')).EvmTokenPage,
  '/key/{publicKey}': async () => (await import('./pages/accounts.tsx')).PublicKeyPage,
  '/nodes': async () => (await import('./pages/nodes.tsx')).NodesPage,
  '/node/{id}': async () => (await import('./pages/nodes.tsx')).NodePage,
  '/charts': async () => (await import('./pages/charts.tsx')).ChartsPage,
  '/scheduled': async () => (await import('./pages/scheduled.tsx')).ScheduledPage,
  '/scheduled/{id}': async () => (await import('./pages/scheduled.tsx')).ScheduledTransactionPage,
  '/transfers': async () => (await import('./pages/transfers.tsx')).TransfersPage,
  '/events': async () => (await import('./pages/events.tsx')).EventsPage,
  '/pairs': async () => (await import('./pages/defi.tsx')).PairsPage,
  '/pair/{id}': async () => (await import('./pages/defi.tsx')).PairPage,
  '/tax-report': async () => (await import('./pages/tax-report.tsx')).TaxReportPage,
  '/tables': async () => (await import('./pages/own-workers.tsx')).OwnWorkersPage,
  '/tables/{worker}': async () => (await import('./pages/own-workers.tsx')).OwnWorkerPage,
  '/tables/{worker}/{table}': async () => (await import('./pages/own-table.tsx')).OwnTablePage,
  '/indexing': async () => (await import('./pages/indexing.tsx')).IndexingPage,
  '/docs': async () => (await import('./pages/api-reference.tsx')).ApiReferencePage,
  '/docs/{operation}': async () => (await import('./pages/api-reference.tsx')).ApiReferencePage,
  '/search': async () => (await import('./pages/search.tsx')).SearchPage,
}

const pages = Object.entries(loads).map(([pattern, load]) => ({
  pattern,
  Page: lazyPart(load, { reloads: true }),
}))

export interface FoundPage extends PageProps {
  readonly Page: ComponentType<PageProps>
}

export function findPage(path: string): FoundPage | undefined {
  for (const { pattern, Page } of pages) {
    const values = matchPath(pattern, path)
    if (values !== undefined) return { Page, values }
  }
  return undefined
}
