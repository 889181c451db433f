import { z } from 'zod'
import { labelCategories } from '../../flow/core-contracts.ts'
import { ApiError } from '../../platform/errors.ts'
import { removedSchema, requireOperations, nameField } from './operations.ts'
import type { Label } from './operations.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { partyParameter } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'

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
