import type pg from 'pg'
import { z } from 'zod'
import { query, withTransaction } from '../../platform/db/pool.ts'
import type { AuthSessions } from '../auth/auth-sessions.ts'
import { functionError, readData } from '../passkeys/endpoint.ts'
import type { SessionEndpoint } from '../passkeys/endpoint.ts'
import { walletNetworks } from '../settings.ts'

export const maxPolicies = 50
export const maxLimits = 20
export const maxContracts = 50
/** Imports of one script. */
const maxImports = 200

const origin = z
  .string()
  .max(300)
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin, such as https://example.com',
  )
const asset = z
  .string()
  .max(200)
  .regex(
    /^(?:FLOW|A\.[0-9a-f]{16}\.\w+\.\w+|0x[0-9a-f]{40})$/,
    'must be FLOW, the type of a vault, such as A.1654653399040a61.FlowToken.Vault, or an ERC-20 contract',
  )
/** UFix64 in units of 10^-8. */
const units = z
  .string()
  .regex(/^\d{1,20}$/, 'must be a number of units of 10^-8')
  .refine((text) => BigInt(text) < 2n ** 64n, 'must be less than 2^64')
const contract = z
  .string()
  .max(200)
  .regex(/^A\.[0-9a-f]{16}\.\w+$/, 'must be a contract, such as A.1654653399040a61.FlowToken')
const limits = z
  .array(z.strictObject({ asset, units }))
  .max(maxLimits)
  .refine((all) => new Set(all.map((one) => one.asset)).size === all.length, 'must name each asset once')
const policy = z.object({
  origin,
  limits,
  contracts: z.array(contract).max(maxContracts),
  other: z.enum(['ask', 'refuse']),
})
const onePolicy = z.object({ origin })
const signing = z.object({
  origin,
  network: z.enum(walletNetworks),
  /** Derived by the wallet's window from the script and its arguments. */
  spend: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('payment'), asset, units }),
    z.strictObject({ kind: z.literal('nothing') }),
    /** A known script whose effect has no amount, such as an NFT or a key. */
    z.strictObject({ kind: z.literal('known') }),
    /** Null: the imports could not be read. */
    z.strictObject({ kind: z.literal('code'), contracts: z.array(z.string().max(300)).max(maxImports).nullable() }),
  ]),
})

type Policy = z.output<typeof policy>
type Signing = z.output<typeof signing>

interface Decision {
  /** `within`, `ask`: may be signed. `none`: no policy. */
  readonly decision: 'none' | 'within' | 'ask' | 'over' | 'refuse'
  /** Units of 10^-8 of the payment's asset, before it; null if no limit is set. */
  readonly limit: string | null
  readonly left: string | null
}

const columns = 'origin, limits, contracts, other'
const today = "(now() at time zone 'UTC')::date"

/**
 * Limits per application. They protect from an application, not from the holder of a session, who
 * can change them but cannot sign.
 */
export function policyEndpoints(
  pool: pg.Pool,
  { lockUser }: Pick<AuthSessions, 'lockUser'>,
): Readonly<Record<string, SessionEndpoint>> {
  return {
    '/policies/list': async ({ user }) => ({ policies: await listPolicies(pool, user.id) }),
    '/policies/set': async ({ user }, data) => {
      const given = readData(policy, data)
      await withTransaction(pool, async (db) => {
        if (!(await lockUser(db, user.id))) throw functionError('UNAUTHORIZED', 'Your user was deleted. Sign in again.')
        // Serializes additions of a user.
        await query(db, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`policies ${user.id}`])
        const all = await listPolicies(db, user.id)
        if (all.length >= maxPolicies && !all.some((one) => one.origin === given.origin))
          throw functionError(
            'TOO_MANY_POLICIES',
            `Too many applications with limits (limit ${maxPolicies}). Delete one first.`,
          )
        await query(
          db,
          `insert into wallet.app_policies (user_id, origin, limits, contracts, other) values ($1, $2, $3, $4, $5)
           on conflict (user_id, origin) do update set limits = excluded.limits, contracts = excluded.contracts,
             other = excluded.other, updated_at = now()`,
          [user.id, given.origin, JSON.stringify(given.limits), given.contracts, given.other],
        )
      })
      return { saved: true }
    },
    '/policies/remove': async ({ user }, data) => {
      const given = readData(onePolicy, data)
      const { rowCount } = await query(pool, 'delete from wallet.app_policies where user_id = $1 and origin = $2', [
        user.id,
        given.origin,
      ])
      return { removed: rowCount === 1 }
    },
    '/policies/check': ({ user }, data) =>
      withTransaction(pool, (db) => decide(db, user.id, readData(signing, data), false)),
    '/policies/count': ({ user }, data) =>
      withTransaction(pool, (db) => decide(db, user.id, readData(signing, data), true)),
  }
}

/** Counts in the transaction that holds the lock of the policy, so that no two exceed a limit. */
async function decide(
  db: pg.ClientBase,
  userId: string,
  { origin: app, network, spend }: Signing,
  isCounted: boolean,
): Promise<Decision> {
  const {
    rows: [found],
  } = await query<Policy>(
    db,
    `select ${columns} from wallet.app_policies where user_id = $1 and origin = $2 ${isCounted ? 'for update' : ''}`,
    [userId, app],
  )
  const answer = (decision: Decision['decision']): Decision => ({ decision, limit: null, left: null })
  if (found === undefined) return answer('none')
  if (spend.kind === 'nothing') return answer('within')
  if (spend.kind === 'known') return answer(found.other)
  if (spend.kind === 'code') {
    if (found.contracts.length === 0) return answer(found.other)
    return answer(spend.contracts?.every((one) => found.contracts.includes(one)) === true ? 'ask' : 'refuse')
  }
  const limit = found.limits.find((one) => one.asset === spend.asset)
  if (limit === undefined) return answer(found.other)
  const {
    rows: [spent],
  } = await query<{ units: string }>(
    db,
    `select units::text from wallet.app_spending
     where user_id = $1 and origin = $2 and network = $3 and day = ${today} and asset = $4`,
    [userId, app, network, spend.asset],
  )
  const left = BigInt(limit.units) - BigInt(spent?.units ?? 0)
  const isWithin = BigInt(spend.units) <= left
  if (isWithin && isCounted)
    await query(
      db,
      `insert into wallet.app_spending as s (user_id, origin, network, day, asset, units)
       values ($1, $2, $3, ${today}, $4, $5)
       on conflict (user_id, origin, network, day, asset) do update set units = s.units + excluded.units`,
      [userId, app, network, spend.asset, spend.units],
    )
  return { decision: isWithin ? 'within' : 'over', limit: limit.units, left: String(left < 0n ? 0n : left) }
}

async function listPolicies(
  db: pg.Pool | pg.ClientBase,
  userId: string,
): Promise<readonly (Policy & { readonly spent: readonly unknown[] })[]> {
  const { rows } = await query<Policy & { readonly spent: readonly unknown[] }>(
    db,
    `select ${columns}, (
       select coalesce(jsonb_agg(jsonb_build_object('network', s.network, 'asset', s.asset, 'units', s.units::text)
         order by s.network, s.asset), '[]')
       from wallet.app_spending as s where s.user_id = p.user_id and s.origin = p.origin and s.day = ${today}
         and s.network in ('mainnet', 'testnet')
     ) as spent
     from wallet.app_policies as p where user_id = $1 order by origin limit $2`,
    [userId, maxPolicies],
  )
  return rows
}

export async function pruneSpending(pool: pg.Pool): Promise<void> {
  await query(pool, `delete from wallet.app_spending where day < ${today} - 30`)
}
