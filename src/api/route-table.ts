import type { Route } from './route.ts'
import { accountContractRoutes } from './routes/account-contracts.ts'
import { accountLookupRoutes } from './routes/account-lookups.ts'
import { accountNftRoutes } from './routes/account-nfts.ts'
import { accountStorageRoutes } from './routes/account-storage.ts'
import { accountRoutes } from './routes/accounts.ts'
import { blockRoutes } from './routes/blocks.ts'
import { documentRoutes } from './routes/documents.ts'
import { insightRoutes } from './routes/insights.ts'
import { nftItemRoutes } from './routes/nft-items.ts'
import { nftTransferRoutes } from './routes/nft-transfers.ts'
import { nftRoutes } from './routes/nfts.ts'
import { priceRoutes } from './routes/prices.ts'
import { serviceRoutes } from './routes/service.ts'
import { statisticsRoutes } from './routes/statistics.ts'
import { transactionRoutes } from './routes/transactions.ts'

/** Every route of the API, in the order in which its description lists them. */
export const routes: readonly Route[] = [...blockRoutes, ...transactionRoutes, ...nftTransferRoutes, ...nftRoutes, ...nftItemRoutes, ...accountNftRoutes, ...insightRoutes, ...priceRoutes, ...statisticsRoutes, ...accountContractRoutes, ...accountLookupRoutes, ...accountStorageRoutes, ...accountRoutes, ...serviceRoutes, ...documentRoutes]
