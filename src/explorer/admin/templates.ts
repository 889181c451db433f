import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { removedSchema, requireOperations, nameField, scriptField } from './operations.ts'
import type { Template } from './operations.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { defineRoute } from '../route.ts'
import type pg from 'pg'
import { query } from '../../platform/db/pool.ts'
import { announceChangedRows } from '../../platform/db/listen.ts'

const templateSchema = z
  .strictObject({
    normal_hash: z
      .string()
      .describe('SHA-256 of the script without comments, white space and network-specific addresses.'),
    category: z.string().describe('`template_category` of transactions.'),
    label: z.string().describe('`template_label` of transactions.'),
  })
  .meta({ id: 'ScriptTemplate' })

const example = {
  normal_hash: '7b1f0c92ad4e6538f0a1c7d2e94b65803f1d2ac97e54b608d3f1a2907c6e5b48',
  category: 'NFT_MINT',
  label: 'Mint a stone',
}

function present({ normalHash, category, label }: Template): z.output<typeof templateSchema> {
  return { normal_hash: normalHash, category, label }
}

const hashField = z.string('must be a hash').regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits, in lower case')

const list = defineRoute({
  path: '/admin/script-templates',
  operationId: 'adminListTemplates',
  tag: 'Administration',
  access: 'admin',
  summary: 'List custom script templates',
  response: listOf(templateSchema, 'ScriptTemplate'),
  example: { data: [example], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async (_input, services) => {
    const templates = await requireOperations(services).listTemplates()
    return { body: wholeList(templates.map(present)) }
  },
})

const put = defineRoute({
  method: 'POST',
  path: '/admin/script-templates',
  operationId: 'adminPutTemplate',
  tag: 'Administration',
  access: 'admin',
  summary: 'Set the template of a script, replacing a custom or built-in one',
  description:
    'Applies to all variants of the script that differ only in comments, white space, import order or network.',
  body: z
    .strictObject(
      {
        script_hash: hashField.optional().describe('`script_hash` of an indexed transaction.'),
        script: scriptField().optional().describe('The script, if it is not indexed.'),
        category: nameField(100).describe('`template_category` of transactions.'),
        label: nameField(100).describe('`template_label` of transactions.'),
      },
      'must be an object',
    )
    .refine(({ script, script_hash: hash }) => (script === undefined) !== (hash === undefined), {
      path: ['script_hash'],
      message: 'or "script" is required, but not both',
    })
    .meta({ oneOf: [{ required: ['script'] }, { required: ['script_hash'] }] }),
  bodyExample: {
    script_hash: 'c2b7f04e9d1a6835e4f0927bd81c3a56f79e20b4d8c615a3907ef1d26b84c5a0',
    category: 'NFT_MINT',
    label: 'Mint a stone',
  },
  response: singleOf(templateSchema, 'ScriptTemplate'),
  example: { data: [example] },
  problems: { 404: 'The script is not indexed.' },
  handler: async ({ body: { script, script_hash: hash = '', category, label } }, services) => {
    const which = script === undefined ? { hash } : { text: script }
    const template = await requireOperations(services).putTemplate(which, { category, label })
    if (template === undefined) throw new ApiError(404, 'unknown-script', `Script ${hash} is not indexed.`)
    return { body: { data: [present(template)] } }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/admin/script-templates/{normal_hash}',
  operationId: 'adminRemoveTemplate',
  tag: 'Administration',
  access: 'admin',
  summary: 'Remove a custom template',
  params: z.object({ normal_hash: hashField }),
  response: removedSchema,
  example: { removed: true as const },
  problems: { 404: 'The template does not exist.' },
  handler: async ({ params: { normal_hash: hash } }, services) => {
    if (await requireOperations(services).removeTemplate(hash)) return { body: { removed: true as const } }
    throw new ApiError(404, 'unknown-template', 'This script has no custom template.')
  },
})

export const templateRoutes = [list, put, remove]

export interface OwnTemplate {
  /** SHA-256 of the normalized script. */
  readonly normalHash: string
  readonly category: string
  readonly label: string
}

export async function listTemplates(pool: pg.Pool): Promise<readonly OwnTemplate[]> {
  const { rows } = await query<{ normalHash: string; category: string; label: string }>(
    pool,
    `
    select encode(normal_hash, 'hex') as "normalHash", category, label from app.script_templates
    order by category, label, normal_hash`,
  )
  return rows
}

export async function putTemplate(pool: pg.Pool, { normalHash, category, label }: OwnTemplate): Promise<void> {
  await query(
    pool,
    `
    insert into app.script_templates (normal_hash, category, label) values (decode($1, 'hex'), $2, $3)
    on conflict (normal_hash) do update set category = excluded.category, label = excluded.label`,
    [normalHash, category, label],
  )
  await announceChangedRows(pool)
}

export async function removeTemplate(pool: pg.Pool, normalHash: string): Promise<boolean> {
  const { rowCount } = await query(pool, "delete from app.script_templates where normal_hash = decode($1, 'hex')", [
    normalHash,
  ])
  if (rowCount === 1) await announceChangedRows(pool)
  return rowCount === 1
}
