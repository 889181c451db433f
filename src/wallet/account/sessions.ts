import type pg from 'pg'
import { z } from 'zod'
import { query, withTransaction } from '../../platform/db/pool.ts'
import { AuditLog } from '../auth/stores/users.ts'
import { functionError, readData } from '../passkeys/endpoint.ts'
import type { SessionEndpoint } from '../passkeys/endpoint.ts'

interface SessionRow {
  readonly id: string
  /** otp, oauth or webauthn. */
  readonly method: string
  /** Such as editor; null: the wallet. */
  readonly program: string | null
  readonly from: string | null
  readonly userAgent: string | null
  readonly signedInAt: Date
  readonly lastUsedAt: Date
  readonly isCurrent: boolean
}

export const maxSessions = 100
const oneSession = z.object({ id: z.uuid() })

/** Ending a session protects the user: it needs no confirmation. */
export function sessionEndpoints(pool: pg.Pool): Readonly<Record<string, SessionEndpoint>> {
  const audit = new AuditLog()
  return {
    '/account/sessions': async ({ user, sessionId }) => {
      const { rows } = await query<SessionRow>(
        pool,
        `select id, method, client_id as program, host(ip) as "from", user_agent as "userAgent",
           authenticated_at as "signedInAt", refreshed_at as "lastUsedAt", id::text = $2 as "isCurrent"
         from wallet_auth.sessions where user_id = $1 and not_after > now()
         order by id::text = $2 desc, refreshed_at desc limit $3`,
        [user.id, sessionId, maxSessions],
      )
      return { sessions: rows }
    },
    '/account/sessions-end': async ({ user }, data, { client }) => {
      const { id } = readData(oneSession, data)
      await withTransaction(pool, async (db) => {
        // Sessions of programs that it opened end with it.
        const { rowCount } = await query(db, 'delete from wallet_auth.sessions where id = $1 and user_id = $2', [
          id,
          user.id,
        ])
        if (rowCount === 0) throw functionError('NOT_FOUND', 'This session has ended already.', { field: 'id' })
        await audit.note(db, 'signed_out', { userId: user.id, sessionId: id, client, detail: { scope: 'one' } })
      })
      return { ended: true }
    },
  }
}
