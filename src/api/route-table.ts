import type { Route } from './route.ts'
import { blockRoutes } from './routes/blocks.ts'
import { documentRoutes } from './routes/documents.ts'
import { insightRoutes } from './routes/insights.ts'
import { priceRoutes } from './routes/prices.ts'
import { serviceRoutes } from './routes/service.ts'
import { transactionRoutes } from './routes/transactions.ts'

/** Every route of the API, in the order in which its description lists them. */
export const routes: readonly Route[] = [...blockRoutes, ...transactionRoutes, ...insightRoutes, ...priceRoutes, ...serviceRoutes, ...documentRoutes]
