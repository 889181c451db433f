import { ApiError } from '../../base/errors.ts'
import type { Accounts } from '../../auth/accounts.ts'
import type { DeveloperKeys } from '../../auth/developer-keys.ts'
import type { Services } from '../route.ts'
import type { AdminOperations } from './admin-operations.ts'

/** @throws ApiError 503 `not-served-here` where the server was started without */
export function requireOperations({ admin }: Services): AdminOperations {
  return admin ?? notServed('The administration')
}

/** @throws ApiError 503 `not-served-here` */
export function requireKeys({ keys }: Services): DeveloperKeys {
  return keys ?? notServed('Developer keys')
}

/** @throws ApiError 503 `not-served-here` */
export function requireAccounts({ accounts }: Services): Accounts {
  return accounts ?? notServed('Accounts')
}

function notServed(what: string): never {
  throw new ApiError(503, 'not-served-here', `${what} cannot be reached from this server.`)
}
