import type pg from 'pg'
import { query } from '../../../platform/db/pool.ts'

/** What deployed a project goes with its connection: environments, deployments, and the key of its workflow. */
const statements = [
  'delete from editor.install_states where user_id = $1',
  'delete from editor.connections where user_id = $1',
  'delete from editor.installations where user_id = $1',
]

/**
 * Forgets who a user is at GitHub and what their projects are connected with, in the transaction that removes them. The repositories and the
 * installation of the App stay what they are at GitHub.
 * @param userId as the auth server names them (sub)
 */
export async function forgetRepositories(client: pg.ClientBase, userId: string): Promise<void> {
  for (const statement of statements) await query(client, statement, [userId])
}
