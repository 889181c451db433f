import type pg from 'pg'
import { z } from 'zod'
import { query, withTransaction } from '../../platform/db/pool.ts'
import { keyChangeMail } from '../auth/mail.ts'
import type { Outbox } from '../../platform/mail/outbox.ts'
import type { RateLimits } from '../auth/stores/rate-limits.ts'
import { readData } from '../passkeys/endpoint.ts'
import type { SessionEndpoint } from '../passkeys/endpoint.ts'
import { walletNetworks } from '../settings.ts'

interface SecurityEvent {
  readonly at: Date
  readonly source: 'passkey' | 'session' | 'account' | 'signature'
  readonly event: string
  readonly done: boolean
  /** Client address; a network for signatures. */
  readonly from: string | null
  /** Page that asked; null: the wallet. */
  readonly origin: string | null
  readonly userAgent: string | null
  readonly credentialId: string | null
  readonly detail: string | null
  readonly address: string | null
}

const pageSize = 50
/** Of reported signatures per user. */
export const signatureLimit = { max: 300, periodMs: 86_400_000 } as const
const mailLimit = { max: 10, periodMs: 86_400_000 } as const

const cursor = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, 'must be a cursor of this list')
  .optional()
const logInput = z.object({ cursor })
const signedInput = z.object({
  kind: z.enum(['transaction', 'message', 'proof']),
  origin: z.string().max(300).nullish(),
  network: z.enum(walletNetworks),
  address: z.string().regex(/^0x[0-9a-f]{16}$/, 'must be an address: 0x and 16 hex digits'),
  credentialId: z.string().regex(/^[\w-]{1,1400}$/),
  /** Name of the wallet's script. */
  action: z.string().max(40).nullish(),
  summary: z
    .string()
    .trim()
    .max(300)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'contains invisible characters'),
})

/** By the name of the wallet's script. */
const mailedChanges: Readonly<Record<string, Parameters<typeof keyChangeMail>[0]['change'] | undefined>> = {
  'add-key': 'a key was added to',
  'revoke-key': 'a key was revoked on',
  'enable-recovery': 'delayed recovery was switched on for',
}

interface SecurityOptions {
  readonly pool: pg.Pool
  readonly rates: RateLimits
  readonly outbox: Pick<Outbox, 'store' | 'deliver'> | undefined
  readonly name: string
}

/**
 * Signatures are reported by the wallet's pages after the passkey was used: the service never sees
 * them otherwise.
 */
export function securityEndpoints({
  pool,
  rates,
  outbox,
  name,
}: SecurityOptions): Readonly<Record<string, SessionEndpoint>> {
  return {
    '/security/log': async ({ user }, data) => {
      const { cursor: before } = readData(logInput, data)
      const rows = await readLog(pool, user.id, before)
      const shown = rows.slice(0, pageSize)
      return {
        events: shown.map((row) => {
          const { place: _place, ...event } = row
          return event
        }),
        cursor: rows.length > pageSize ? (shown.at(-1)?.place ?? null) : null,
      }
    },
    '/security/signed': async ({ user }, data, { network: client }) => {
      const given = readData(signedInput, data)
      await rates.take('report signature', user.id, signatureLimit)
      const change = mailedChanges[given.action ?? '']
      const isMailed =
        change !== undefined &&
        (await rates.take('mail of key change', user.id, mailLimit).then(
          () => true,
          () => false,
        ))
      await withTransaction(pool, async (db) => {
        await query(
          db,
          `insert into wallet.signatures (user_id, kind, origin, network, address, credential_id, summary, client)
           select $1, $2, $3, $4, $5, p.credential_id, $7, network(set_masklen($8::inet, case family($8::inet)
             when 4 then 24 else 48 end))
           from wallet.passkeys p where p.credential_id = $6 and p.user_id = $1`,
          [
            user.id,
            given.kind,
            given.origin ?? null,
            given.network,
            given.address,
            given.credentialId,
            given.summary,
            client.split('/')[0],
          ],
        )
        if (isMailed && change !== undefined && user.email !== undefined)
          await outbox?.store(
            db,
            keyChangeMail({
              to: user.email,
              name,
              change,
              address: given.address,
              from: client,
            }),
          )
      })
      if (isMailed) outbox?.deliver()
      return { recorded: true }
    },
  }
}

/** One row more than a page. Each source is read by an index on user and time. */
async function readLog(
  pool: pg.Pool,
  userId: string,
  before: string | undefined,
): Promise<readonly (SecurityEvent & { readonly place: string })[]> {
  const page = (at: string): string =>
    `user_id = $1 and ($2::timestamptz is null or ${at} < $2) order by ${at} desc limit $3`
  const { rows } = await query<SecurityEvent & { readonly place: string }>(
    pool,
    `select *, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place from (
      (select at, 'passkey' as source, event, is_done as done, host(ip) as "from", origin, user_agent as "userAgent",
         credential_id as "credentialId", reason as detail, null::text as address
       from wallet.audit_log
       where event not in ('registration_started', 'authentication_started') and ${page('at')})
      union all
      (select at, 'session', event, event not in ('code_failed', 'token_reused'), host(ip), null, user_agent, null,
         coalesce(detail ->> 'method', detail ->> 'provider', detail ->> 'scope'), null
       from wallet_auth.audit_log where ${page('at')})
      union all
      (select created_at, 'account', case when is_imported then 'account_imported' else 'account_created' end, true,
         null, null, null, credential_id, network, address
       from wallet.accounts where state = 'sealed' and ${page('created_at')})
      union all
      (select at, 'signature', kind, true, text(client), origin, null, credential_id, summary, address
       from wallet.signatures where ${page('at')})
    ) as events order by at desc limit $3`,
    [userId, before ?? null, pageSize + 1],
  )
  return rows
}

export async function pruneSignatures(pool: pg.Pool): Promise<void> {
  await query(pool, "delete from wallet.signatures where at < now() - interval '90 days'")
}
