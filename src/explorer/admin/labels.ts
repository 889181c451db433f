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

function labelledAddressParameter(): TextParameter {
  return partyParameter().describe('Flow account (16 hex digits) or EVM address (40).')
}

function labelTagParameter(): z.ZodString {
  return z
    .string('must be a string')
    .max(60, 'must have at most 60 characters')
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and dashes')
    .describe('Key of the label: lower-case letters, digits and dashes.')
}

const labelFields = {
  address: z.string().describe('0x and 16 hex digits (Flow) or 40 (EVM).'),
  tag: z.string().describe('Key of the label, unique per account.'),
  label: z.string().describe('Display name.'),
  category: z.enum(labelCategories),
}

const labelSchema = z
  .strictObject({
    ...labelFields,
    is_built_in: z.boolean().describe('Built-in labels reappear at the next start of the farm if removed.'),
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
  summary: 'List account labels',
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
  summary: 'Set a label of an account, replacing one with the same tag',
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
  summary: 'Remove a label of an account',
  params: z.object({ address: labelledAddressParameter(), tag: labelTagParameter() }),
  response: removedSchema,
  example: { removed: true as const },
  problems: { 404: 'The account has no label with this tag.' },
  handler: async ({ params: { address, tag } }, services) => {
    if (await requireOperations(services).removeLabel(address, tag)) return { body: { removed: true as const } }
    throw new ApiError(404, 'unknown-label', `Account ${address} has no label "${tag}".`)
  },
})

export const labelRoutes = [list, put, remove]

export interface AccountLabel {
  readonly address: string
  readonly tag: string
  readonly label: string
  readonly category: LabelCategory
  /** False: created by an operator. */
  readonly isBuiltIn: boolean
}

/** Labels of operators with the same tag take precedence. Safe in several processes. */
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

/** Replaces a label with the same tag. */
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
 * A built-in label reappears at the next start of the farm.
 *
 * @param tag undefined: all labels
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

/** Operators create them, so there are few. */
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
