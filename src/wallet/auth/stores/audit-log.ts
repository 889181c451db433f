import type pg from 'pg'
import { query } from '../../../platform/db/pool.ts'
import type { AuthClient } from './sessions.ts'

export type AuthEvent =
  | 'user_created'
  | 'identity_added'
  | 'signed_out'
  | 'token_reused'
  | 'code_failed'
  | 'user_changed'
  | 'link_made'
  | 'email_change_asked'
  | 'email_changed'
  | 'user_removed'

export interface AuditNote {
  readonly userId?: string
  readonly sessionId?: string
  readonly client: AuthClient
  /** Never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** What happened to people's accounts and sessions, in wallet_auth.audit_log. Sign-ins are noted by the statement that opens the session. */
export class AuditLog {
  async note(
    db: pg.Pool | pg.ClientBase,
    event: AuthEvent,
    { userId, sessionId, client, detail = {} }: AuditNote,
  ): Promise<void> {
    await query(
      db,
      `insert into wallet_auth.audit_log (event, user_id, session_id, ip, user_agent, detail) values ($1, $2, $3, nullif($4, '')::inet, $5, $6)`,
      [event, userId ?? null, sessionId ?? null, client.address, client.userAgent, JSON.stringify(detail)],
    )
  }
}
