import { z } from 'zod'
import { labelCategories, knownAccounts } from '../../flow/core-contracts.ts'
import { ApiError } from '../../platform/errors.ts'
import { removedSchema, requireOperations, nameField } from './operations.ts'
import type { Label } from './operations.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { partyParameter } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type pg from 'pg'
import type { LabelCategory } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { query } from '../../platform/db/pool.ts'
import { announceChangedRows } from '../../platform/db/listen.ts'

/** An account of Flow (16 hex digits) or of Flow EVM (40), with or without 0x. Gives 0x and lower-case digits. */
function labelledAddressParameter(): TextParameter {
  return partyParameter().describe('Account: 0x and 16 hex digits, or 40 for one of the EVM.')
}

/** The short name of a label. */
function labelTagParameter(): z.ZodString {
  return z
    .string('must be text')
    .max(60, 'has at most 60 characters')
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and dashes')
    .describe('Short name of the label: lower case, digits and dashes.')
}

const labelFields = {
  address: z.string().describe('0x and 16 hex digits, or 40 for an EVM account.'),
  tag: z.string().describe("Short name, one of the account's."),
  label: z.string().describe('The name to show.'),
  category: z.enum(labelCategories),
}

const labelSchema = z
  .strictObject({
    ...labelFields,
    is_built_in: z
      .boolean()
      .describe('Known to flowfarm itself; such a label comes back with the next start of the farm.'),
  })
  .meta({ id: 'AccountLabelEntry' })

const example = {
  address: '0x1654653399040a61',
  tag: 'treasury',
  label: 'Treasury',
  category: 'custom' as const,
  is_built_in: false,
}

function present({ isBuiltIn, address, tag, label, category }: Label): z.output<typeof labelSchema> {
  return { address, tag, label, category, is_built_in: isBuiltIn }
}

const list = defineRoute({
  path: '/admin/account-labels',
  operationId: 'adminListLabels',
  tag: 'Administration',
  access: 'admin',
  summary: 'What accounts are known as',
  query: z.object({ address: labelledAddressParameter().optional() }),
  response: listOf(labelSchema, 'AccountLabelEntry'),
  example: { data: [example], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ query }, services) => {
    const labels = await requireOperations(services).listLabels(query.address)
    return { body: wholeList(labels.map(present)) }
  },
})

const put = defineRoute({
  method: 'POST',
  path: '/admin/account-labels',
  operationId: 'adminPutLabel',
  tag: 'Administration',
  access: 'admin',
  summary: 'Gives an account a label, in the place of one with the same tag',
  body: z.strictObject(
    {
      address: labelledAddressParameter(),
      tag: labelTagParameter(),
      label: nameField(100),
      category: z.enum(labelCategories, `must be one of ${labelCategories.join(', ')}`).default('custom'),
    },
    'must be an object',
  ),
  bodyExample: { address: '0x1654653399040a61', tag: 'treasury', label: 'Treasury', category: 'custom' },
  response: singleOf(labelSchema, 'AccountLabelEntry'),
  example: { data: [example] },
  handler: async ({ body }, services) => {
    await requireOperations(services).putLabel(body)
    return { body: { data: [{ ...body, is_built_in: false }] } }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/admin/account-labels/{address}/{tag}',
  operationId: 'adminRemoveLabel',
  tag: 'Administration',
  access: 'admin',
  summary: 'Takes a label of an account away',
  params: z.object({ address: labelledAddressParameter(), tag: labelTagParameter() }),
  response: removedSchema,
  example: { removed: true as const },
  problems: { 404: 'The account has no label with this tag.' },
  handler: async ({ params: { address, tag } }, services) => {
    if (await requireOperations(services).removeLabel(address, tag)) return { body: { removed: true as const } }
    throw new ApiError(404, 'unknown-label', `${address} has no label "${tag}".`)
  },
})

/** What accounts are known as. */
export const labelRoutes = [list, put, remove]

export interface AccountLabel {
  /** 0x and 16 hex digits, or 40 for an EVM account. */
  readonly address: string
  /** Lower case, digits, dashes. */
  readonly tag: string
  readonly label: string
  readonly category: LabelCategory
  /** False: an operator's own. */
  readonly isBuiltIn: boolean
}

/**
 * Makes the built-in labels those of this version of the program. Where an operator gave an account the same tag, the
 * operator's stays. One statement; any number of processes may do it.
 */
export async function writeBuiltInLabels(pool: pg.Pool, network: Network): Promise<void> {
  const known = knownAccounts(network)
  await query(
    pool,
    `with known as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as k (address, tag, label,
      category)),
     gone as (
       delete from app.account_labels l
       where l.is_built_in and not exists (select from known k where k.address = l.address and k.tag = l.tag)
     )
     insert into app.account_labels as l (address, tag, label, category, is_built_in)
     select address, tag, label, category, true from known order by address, tag
     on conflict (address, tag) do update set label = excluded.label, category = excluded.category
     where l.is_built_in and (l.label, l.category) is distinct from (excluded.label, excluded.category)`,
    [
      known.map((one) => one.address),
      known.map((one) => one.tag),
      known.map((one) => one.label),
      known.map((one) => one.category),
    ],
  )
}

/** Gives an account an operator's label, in the place of one with the same tag. */
export async function putLabel(
  pool: pg.Pool,
  { address, tag, label, category }: Omit<AccountLabel, 'isBuiltIn'>,
): Promise<void> {
  await query(
    pool,
    `insert into app.account_labels (address, tag, label, category) values ($1, $2, $3, $4)
     on conflict (address, tag) do update set label = excluded.label, category = excluded.category, is_built_in =
     false`,
    [address, tag, label, category],
  )
  await announceChangedRows(pool)
}

/**
 * Takes labels of an account away; a built-in one comes back when the farm starts again.
 * @param tag undefined: all of them
 * @returns how many
 */
export async function removeLabels(pool: pg.Pool, address: string, tag?: string): Promise<number> {
  const { rowCount } = await query(
    pool,
    'delete from app.account_labels where address = $1 and ($2::text is null or tag = $2)',
    [address, tag ?? null],
  )
  if (rowCount !== 0) await announceChangedRows(pool)
  return rowCount ?? 0
}

/** Those of one account, or all, by address and tag. There are few: people write them. */
export async function listLabels(pool: pg.Pool, address?: string): Promise<readonly AccountLabel[]> {
  const { rows } = await query<{
    address: string
    tag: string
    label: string
    category: LabelCategory
    isBuiltIn: boolean
  }>(
    pool,
    `select address, tag, label, category, is_built_in as "isBuiltIn" from app.account_labels
     where $1::text is null or address = $1 order by address, tag`,
    [address ?? null],
  )
  return rows
}
