import type pg from 'pg'
import { ApiError } from '../errors.ts'
import { query } from '../db/pool.ts'

/**
 * Reads people's roles from the database of the authentication service (AUTH_DB_URL), anew each time: who loses a role
 * loses it at once. When that database does not answer, nobody is let in: what a JWT says of itself does not take its
 * place.
 * @throws ApiError 503 `auth-database-unavailable`
 */
export function roleDirectory(pool: pg.Pool): (subject: string) => Promise<readonly string[]> {
  return async (subject) => {
    try {
      const { rows } = await query<{ role: string }>(
        pool,
        'select role::text as role from user_roles where user_id::text = $1',
        [subject],
      )
      return rows.map(({ role }) => role)
    } catch (error) {
      throw new ApiError(503, 'auth-database-unavailable', 'The database of roles does not answer at the moment.', {
        cause: error,
      })
    }
  }
}
