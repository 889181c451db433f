import { z } from 'zod'
import { query, withRetriedTransaction, withTransaction } from '../../platform/db/pool.ts'
import { routesOf } from '../../platform/http/route.ts'
import type { Route } from '../../platform/http/route.ts'
import { authError, authPath, gotrueForm } from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { userRemovedMail } from './mail.ts'
import type { AuthClient } from './stores/sessions.ts'
import { presentUser, userColumns } from './stores/users.ts'
import type { UserRow } from './stores/users.ts'

interface AdminServices {
  readonly auth: AuthParts
}

const route = routesOf<AdminServices, { admin: AuthClient }>()
const shared = { tag: 'Auth (GoTrue)', errorForm: gotrueForm, access: 'admin' } as const
const jsonObject = z.record(z.string(), z.unknown())
const params = z.object({ id: z.uuid('must be a user id') })
const path = `${authPath}/admin/users`
const maxUsers = 200
const maxPage = 50

/** auth-js sends omitted numbers as empty. */
const count = (max: number): z.ZodType<number | undefined> =>
  z
    .literal('')
    .transform(() => undefined)
    .or(z.coerce.number().int().min(1).max(max))
    .optional()

/** `none`, or GoTrue's form: `24h`. */
const banDuration = z.string().regex(/^(?:none|[1-9]\d{0,5}h)$/, 'must be none, or hours such as 24h')

type AdminRow = UserRow & { readonly bannedUntil: Date | null }

const columns = `${userColumns}, u.banned_until as "bannedUntil"`

/** With WALLET_SERVICE_TOKEN. Every change is in the audit log, with the address of the program. */
export const adminRoutes: readonly Route<AdminServices>[] = [
  route({
    ...shared,
    path,
    operationId: 'listUsers',
    summary: 'Users, by id',
    description: '`after` is the last id of the page before. `page` counts from 1, as in GoTrue.',
    query: z.object({
      after: z.uuid().optional(),
      page: count(maxPage),
      per_page: count(maxUsers),
      email: z.string().max(320).optional().describe('Only the user of this address.'),
    }),
    response: z.strictObject({ users: z.array(jsonObject), next: z.string().nullable() }),
    handler: async ({ query: { after, page = 1, per_page: size = 50, email } }, { auth: { pool } }) => {
      const { rows } = await query<AdminRow>(
        pool,
        `select ${columns} from wallet_auth.users as u
         where ($1::uuid is null or u.id > $1) and ($3::text is null or u.email = $3) order by u.id limit $2 offset $4`,
        [after ?? null, size + 1, email?.trim().toLowerCase() ?? null, (page - 1) * size],
      )
      const users = rows.slice(0, size)
      return { body: { users: users.map(present), next: rows.length > size ? (users.at(-1)?.id ?? null) : null } }
    },
  }),
  route({
    ...shared,
    path: `${path}/{id}`,
    operationId: 'getUserById',
    summary: 'A user',
    params,
    response: jsonObject,
    handler: async ({ params: { id } }, { auth }) => ({ body: present(await readUser(auth, id)) }),
  }),
  route({
    ...shared,
    method: 'PUT',
    path: `${path}/{id}`,
    operationId: 'banUser',
    summary: 'Ban a user, which ends all sessions, or end the ban',
    params,
    body: z.object({ ban_duration: banDuration }),
    response: jsonObject,
    handler: async ({ params: { id }, body: { ban_duration: duration }, caller: client }, { auth }) => {
      const hours = duration === 'none' ? null : Number(duration.slice(0, -1))
      await withTransaction(auth.pool, async (db) => {
        const { rowCount } = await query(
          db,
          `update wallet_auth.users set banned_until = now() + make_interval(hours => $2), updated_at = now()
           where id = $1`,
          [id, hours],
        )
        if (rowCount !== 1) throw notFound()
        if (hours !== null) await query(db, 'delete from wallet_auth.sessions where user_id = $1', [id])
        await auth.audit.note(db, hours === null ? 'user_unbanned' : 'user_banned', {
          userId: id,
          client,
          detail: hours === null ? {} : { hours },
        })
      })
      return { body: present(await readUser(auth, id)) }
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: `${path}/{id}`,
    operationId: 'deleteUserById',
    summary: 'Delete a user: sessions, passkeys, projects; accounts on the chain keep their keys',
    params,
    response: z.strictObject({}),
    handler: async ({ params: { id }, caller: client }, { auth }) => {
      const { pool, audit, outbox, name, deleteUserData } = auth
      await withRetriedTransaction(pool, async (db) => {
        const {
          rows: [user],
        } = await query<{ email: string | null }>(db, 'select email from wallet_auth.users where id = $1 for update', [
          id,
        ])
        if (user === undefined) throw notFound()
        await deleteUserData(db, id)
        await query(db, 'delete from wallet_auth.users where id = $1', [id])
        if (user.email !== null) {
          await query(db, 'delete from wallet_auth.one_time_tokens where email = $1', [user.email])
          await outbox.store(db, userRemovedMail({ to: user.email, name, from: 'the operator' }))
        }
        await audit.note(db, 'user_removed', { userId: id, client, detail: { by: 'operator' } })
        await query(
          db,
          `update wallet_auth.audit_log set ip = null, user_agent = null
           where user_id = $1 and event not in ('user_removed', 'user_banned', 'user_unbanned')`,
          [id],
        )
      })
      outbox.deliver()
      return { body: {} }
    },
  }),
]

async function readUser({ pool }: AuthParts, id: string): Promise<AdminRow> {
  const {
    rows: [user],
  } = await query<AdminRow>(pool, `select ${columns} from wallet_auth.users as u where u.id = $1`, [id])
  if (user === undefined) throw notFound()
  return user
}

function present({ bannedUntil, ...user }: AdminRow): Record<string, unknown> {
  return { ...presentUser(user), ...(bannedUntil === null ? {} : { banned_until: bannedUntil }) }
}

function notFound(): Error {
  return authError(404, 'user_not_found', 'No user has this id.')
}
