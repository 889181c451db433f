import type { AskRoute } from '../ask-route.ts'
import { askRoutes } from './ask.ts'
import { generateSqlRoutes } from './generate-sql.ts'
import { historyRoutes } from './history.ts'
import { memoryRoutes } from './memory.ts'
import { runSqlRoutes } from './run-sql.ts'
import { serviceRoutes } from './service.ts'

/** Every route of the query service, in the order of its description. */
export const allAskRoutes: readonly AskRoute[] = [
  ...askRoutes,
  ...generateSqlRoutes,
  ...runSqlRoutes,
  ...historyRoutes,
  ...memoryRoutes,
  ...serviceRoutes,
]
