import type { HoldUser } from '../../../auth/hold-user.ts'
import { query } from '../../../db/pool.ts'

/** Users of our own auth endpoint. */
export const holdUser: HoldUser = async (client, userId) => {
  const { rowCount } = await query(client, 'select from wallet_auth.users where id = $1 for key share', [userId])
  return rowCount === 1
}
