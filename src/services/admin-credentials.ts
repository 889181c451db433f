import type { CredentialOptions } from '../auth/credentials.ts'
import { roleDirectory } from '../auth/role-directory.ts'
import { connectionLimits } from '../db/connection-limits.ts'
import { createPool, logIdleErrors } from '../db/pool.ts'
import type { ServiceContext } from './context.ts'

/** Who may operate and administrate, as the configuration says. */
export function adminCredentials({ config, lifecycle, log }: ServiceContext): CredentialOptions {
  const credentials = {
    token: config.ADMIN_TOKEN,
    jwtSecret: config.ADMIN_JWT_SECRET ?? config.AUTH_JWT_SECRET,
    allowedRoles: config.ADMIN_ALLOWED_ROLES,
  }
  if (config.AUTH_DB_URL === undefined) return credentials
  const pool = createPool(config.AUTH_DB_URL, {
    ...connectionLimits,
    max: 2,
    applicationName: 'flowfarm roles',
    onIdleError: logIdleErrors(log, 'a connection to AUTH_DB_URL was lost'),
  })
  lifecycle.onStop('connections to the authentication service', () => pool.end())
  return { ...credentials, rolesOf: roleDirectory(pool) }
}
