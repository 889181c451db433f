import type pg from 'pg'
import { query } from '../../../db/pool.ts'

/**
 * Keeps a user from being removed until the end of the transaction: for who writes down what a user has in a table that cannot refer to them. Who
 * removes them waits, and then finds what was written.
 * @returns false where they are gone
 */
export async function holdUser(client: pg.ClientBase, userId: string): Promise<boolean> {
  const { rowCount } = await query(client, 'select from wallet_auth.users where id = $1 for key share', [userId])
  return rowCount === 1
}
