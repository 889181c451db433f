import type pg from 'pg'
import { z } from 'zod'
import { isValidAddress } from '../../flow/address.ts'
import { query, withTransaction } from '../../platform/db/pool.ts'
import type { AuthSessions } from '../auth/auth-sessions.ts'
import { functionError, readData, shortName } from '../passkeys/endpoint.ts'
import type { SessionEndpoint } from '../passkeys/endpoint.ts'

interface Contact {
  readonly id: string
  readonly name: string
  /** Flow or EVM address. */
  readonly address: string
  readonly addedAt: Date
}

export const maxContacts = 200

const shown = 'id, name, address, created_at as "addedAt"'
const flowNetworks = ['mainnet', 'testnet', 'emulator'] as const
const newContact = z.object({
  name: shortName,
  address: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^0x(?:[0-9a-f]{16}|[0-9a-f]{40})$/, 'must be a Flow address (16 hex digits) or an EVM address (40)')
    .refine(
      (address) => address.length !== 18 || flowNetworks.some((network) => isValidAddress(address, network)),
      'is not a Flow address: a digit is wrong',
    ),
})
const oneContact = z.object({ id: z.uuid() })

/**
 * Contacts are added and deleted, never changed: a saved name cannot come to mean another address.
 */
export function contactEndpoints(
  pool: pg.Pool,
  { lockUser }: Pick<AuthSessions, 'lockUser'>,
): Readonly<Record<string, SessionEndpoint>> {
  return {
    '/wallet/contacts': async ({ user }) => ({ contacts: await listContacts(pool, user.id) }),
    '/wallet/contacts-add': async ({ user }, data) => {
      const { name, address } = readData(newContact, data)
      return withTransaction(pool, async (client) => {
        if (!(await lockUser(client, user.id)))
          throw functionError('UNAUTHORIZED', 'Your user was deleted. Sign in again.')
        // Serializes additions of a user.
        await query(client, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`contacts ${user.id}`])
        if ((await listContacts(client, user.id)).length >= maxContacts)
          throw functionError('TOO_MANY_CONTACTS', `Too many contacts (limit ${maxContacts}). Delete one first.`)
        const {
          rows: [contact],
        } = await query<Contact>(
          client,
          `insert into wallet.contacts (user_id, name, address) values ($1, $2, $3)
           on conflict do nothing returning ${shown}`,
          [user.id, name, address],
        )
        if (contact === undefined)
          throw functionError(
            'CONTACT_EXISTS',
            `A contact named “${name}” exists. Delete it first, or use another name.`,
          )
        return { contact }
      })
    },
    '/wallet/contacts-remove': async ({ user }, data) => {
      const { id } = readData(oneContact, data)
      const { rowCount } = await query(pool, 'delete from wallet.contacts where user_id = $1 and id = $2', [
        user.id,
        id,
      ])
      return { removed: rowCount === 1 }
    },
  }
}

async function listContacts(db: pg.Pool | pg.ClientBase, userId: string): Promise<readonly Contact[]> {
  const { rows } = await query<Contact>(
    db,
    `select ${shown} from wallet.contacts where user_id = $1 order by lower(name), id limit $2`,
    [userId, maxContacts],
  )
  return rows
}
