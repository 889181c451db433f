import type pg from 'pg'
import { z } from 'zod'
import { Accounts } from '../../platform/auth/accounts.ts'
import { DeveloperKeys } from '../../platform/auth/developer-keys.ts'
import type { DeveloperKey } from '../../platform/auth/developer-keys.ts'
import { query, withTransaction } from '../../platform/db/pool.ts'
import type { AuthSessions } from '../auth/auth-sessions.ts'
import { apiKeyMail } from '../auth/mail.ts'
import type { Outbox } from '../../platform/mail/outbox.ts'
import type { RateLimits } from '../auth/stores/rate-limits.ts'
import { AuditLog } from '../auth/stores/users.ts'
import { confirmation } from '../passkeys/confirm.ts'
import { functionError, readData, shortName } from '../passkeys/endpoint.ts'
import type { SessionEndpoint } from '../passkeys/endpoint.ts'

/** A project of the editor. */
interface LinkedProject {
  readonly slug: string
  readonly name: string
  readonly network: string
  readonly isPublic: boolean
  readonly updatedAt: Date
  /** `owner/name`; null: not connected. */
  readonly repository: string | null
  /** Accounts whose deploy keys are secrets of the repository. */
  readonly deployKeys: readonly { readonly environment: string; readonly address: string | null }[]
}

export type ListProjects = (
  pool: pg.Pool,
  userId: string,
) => Promise<{ readonly projects: readonly LinkedProject[]; readonly count: number }>

interface Webhook {
  readonly id: number
  readonly url: string
  readonly subscriptions: number
  readonly isPaused: boolean
}

/** New keys of a user in a day, whatever is revoked. */
export const newKeyLimit = { max: 20, periodMs: 86_400_000 } as const
const maxWebhooks = 100

const newKey = z.object({ name: shortName, confirmation })
const oneKey = z.object({ id: z.int().positive() })

interface DeveloperOptions {
  readonly pool: pg.Pool
  readonly rates: RateLimits
  readonly sessions: Pick<AuthSessions, 'lockUser'>
  readonly outbox: Pick<Outbox, 'store' | 'deliver'> | undefined
  /** The wallet's, for e-mails. */
  readonly name: string
  readonly listProjects: ListProjects
}

/** The user's projects in the editor, and keys and webhooks of the explorer API. */
export function developerEndpoints({
  pool,
  rates,
  sessions,
  outbox,
  name,
  listProjects,
}: DeveloperOptions): Readonly<Record<string, SessionEndpoint>> {
  const accounts = new Accounts({ pool, keys: new DeveloperKeys(pool), jwtSecret: undefined })
  const audit = new AuditLog()
  const gone = (): Error => functionError('UNAUTHORIZED', 'Your user was deleted. Sign in again.')
  return {
    '/account/projects': ({ user }) => listProjects(pool, user.id),
    '/account/keys': async ({ user }) => {
      const account = await accounts.find(user.id)
      if (account === undefined) return { keys: [], webhooks: [] }
      return {
        keys: (await accounts.keysOf(account.id)).map(shown),
        webhooks: await listWebhooks(pool, account.id),
      }
    },
    // A key outlives the session, and reads and changes the user's webhooks.
    '/account/keys-make': async ({ user }, data, { client, confirm }) => {
      const given = readData(newKey, data)
      await confirm({ action: 'make-api-key', name: given.name }, given.confirmation)
      await rates.take('make api key', user.id, newKeyLimit)
      const made = await withTransaction(pool, async (db) => {
        if (!(await sessions.lockUser(db, user.id))) throw gone()
        const account = await accounts.ofUser(user.id, db)
        const key = await accounts.makeKey(account.id, given.name, db)
        await audit.note(db, 'api_key_made', { userId: user.id, client, detail: { key: key.key.id } })
        if (user.email !== undefined)
          await outbox?.store(db, apiKeyMail({ to: user.email, name, from: client.address }))
        return key
      })
      outbox?.deliver()
      return { key: shown(made.key), text: made.text }
    },
    '/account/keys-revoke': async ({ user }, data, { client }) => {
      const { id } = readData(oneKey, data)
      const account = await accounts.find(user.id)
      if (account === undefined) throw functionError('NOT_FOUND', `Key ${id} was not found.`, { field: 'id' })
      await accounts.revokeKey(account.id, id)
      await audit.note(pool, 'api_key_revoked', { userId: user.id, client, detail: { key: id } })
      return { revoked: true }
    },
  }
}

function shown({ id, prefix, name, tier, createdAt, lastUsedAt }: DeveloperKey): object {
  return { id, prefix, name, tier, createdAt, lastUsedAt }
}

async function listWebhooks(pool: pg.Pool, ownerId: number): Promise<readonly Webhook[]> {
  const { rows } = await query<Webhook>(
    pool,
    `select e.id::float8 as id, e.url, e.paused_at is not null as "isPaused",
       (select count(*)::int from app.webhook_subscriptions s where s.endpoint_id = e.id) as subscriptions
     from app.webhook_endpoints e where e.key_id = $1 order by e.id desc limit $2`,
    [ownerId, maxWebhooks],
  )
  return rows
}
