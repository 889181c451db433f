import { developerKeyRoutes } from './developer-keys.ts'
import { errorRoutes } from './errors.ts'
import { labelRoutes } from './labels.ts'
import { reprocessRoutes } from './reprocess.ts'
import { templateRoutes } from './templates.ts'
import { webhookAdminRoutes } from './webhooks.ts'

/** What administrators can do by the API. */
export const adminRoutes = [
  ...labelRoutes,
  ...templateRoutes,
  ...errorRoutes,
  ...reprocessRoutes,
  ...developerKeyRoutes,
  ...webhookAdminRoutes,
]
