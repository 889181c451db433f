import { z } from 'zod'
import { labelCategories } from '../../flow/core-contracts.ts'
import { ApiError } from '../../platform/errors.ts'
import { removedSchema, requireOperations, nameField } from './operations.ts'
import type { Label } from './operations.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { partyParameter } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'

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
