import type pg from 'pg'
import { query } from '../../../platform/db/pool.ts'

/** In the order in which saves take them, so that nobody waits for each other. Files go with their project. */
const statements = ['delete from projects.projects where user_id = $1', 'delete from projects.saves where user_id = $1']

/**
 * Forgets the projects of a user who goes, with their files, in the transaction that removes them. Copies that others have made stay theirs.
 * @param userId as the auth server names them (sub)
 */
export async function forgetProjects(client: pg.ClientBase, userId: string): Promise<void> {
  for (const statement of statements) await query(client, statement, [userId])
}
