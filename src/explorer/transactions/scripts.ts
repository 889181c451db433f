import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Network } from '../../flow/network.ts'
import { importedContracts } from '../../flow/code/script-imports.ts'
import { scriptTemplate } from '../../flow/code/script-template.ts'
import type { DescribedScript } from '../../flow/code/script-template.ts'
import type { ScriptTemplate } from '../../flow/code/template-rules.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashBytes, hashPattern, idFormat } from '../formats.ts'
import { singleOf } from '../paging/pages.ts'
import { readRecent } from '../paging/bounds.ts'
import { defineRoute } from '../route.ts'
import { exampleTransaction } from './schema.ts'

export interface StoredScript {
  readonly text: string
  readonly template: ScriptTemplate
  /** `A.<address>.<name>`. */
  readonly imports: readonly string[]
}

type KnownScript = DescribedScript & StoredScript

/** Fits a few thousand scripts, which cover nearly all transactions. */
const maxCharacters = 16 * 1024 * 1024
const known = new Map<string, KnownScript>()
let characters = 0

const scriptRow = z.object({ script_hash: z.string(), script_text: z.string() })
const templateRow = z.object({ normal_hash: z.string(), category: z.string(), label: z.string() })

/** Omits scripts that are not stored. Templates of the operator override the built-in ones. */
export async function readScripts(
  database: DatabasePool,
  network: Network,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, StoredScript>> {
  const found = new Map<string, KnownScript>()
  const missing = new Set<string>()
  for (const hash of hashes) {
    const script = known.get(`${network} ${hash}`)
    if (script === undefined) missing.add(hash)
    else found.set(hash, script)
  }
  if (missing.size > 0) {
    for (const { script_hash: hash, script_text: text } of await readTexts(database, [...missing])) {
      const source = { isSystem: false, scriptHash: Buffer.from(hash, 'hex'), script: text }
      const script = { text, imports: importedContracts(source, network), ...scriptTemplate(text, network) }
      found.set(hash, script)
      cacheScript(`${network} ${hash}`, script)
    }
  }
  const normalHashes = [...found.values()].map(({ normalHash }) => normalHash)
  const templates = await readRecent(database, 'template', normalHashes, (unknown) => readTemplates(database, unknown))
  return new Map(
    [...found].map(([hash, script]) => {
      const template = templates.get(script.normalHash)
      return [hash, template === undefined ? script : { ...script, template }]
    }),
  )
}

async function readTexts(
  database: DatabasePool,
  hashes: readonly string[],
): Promise<readonly z.output<typeof scriptRow>[]> {
  return database.any(sql.prepared('scripts', scriptRow)`
    select encode(script_hash, 'hex') as script_hash, script_text from raw.scripts
    where script_hash = any (${bytesOf(hashes)})
  `)
}

async function readTemplates(
  database: DatabasePool,
  normalHashes: readonly string[],
): Promise<ReadonlyMap<string, ScriptTemplate>> {
  const rows = await database.any(sql.prepared('templates', templateRow)`
    select encode(normal_hash, 'hex') as normal_hash, category, label from app.script_templates
    where normal_hash = any (${bytesOf(normalHashes)})
  `)
  return new Map(rows.map(({ normal_hash: hash, category, label }) => [hash, { category, label }]))
}

function bytesOf(hashes: readonly string[]): ReturnType<typeof sql.array> {
  return sql.array(
    hashes.map((hash) => Buffer.from(hash, 'hex')),
    'bytea',
  )
}

function cacheScript(key: string, script: KnownScript): void {
  if (characters + script.text.length > maxCharacters) {
    known.clear()
    characters = 0
  }
  if (!known.has(key)) characters += script.text.length
  known.set(key, script)
}

const scriptSchema = z
  .strictObject({
    script_hash: idFormat.describe('SHA-256 of the script.'),
    script_text: z.string().describe('Cadence source.'),
    template_category: z.string().describe('See `template_category` of transactions.'),
    template_label: z.string(),
  })
  .meta({ id: 'Script' })

const script = defineRoute({
  path: '/flow/script/{hash}',
  operationId: 'getScript',
  tag: 'Transactions',
  summary: 'Transaction script by hash',
  params: z.object({
    hash: z
      .string()
      .regex(hashPattern, 'must be a script hash: 64 hex digits, with or without 0x')
      .describe('`script_hash` of a transaction.'),
  }),
  response: singleOf(scriptSchema, 'Script'),
  problems: { 404: 'No stored transaction uses this script.' },
  example: {
    data: [
      {
        script_hash: exampleTransaction.script_hash,
        script_text: 'import "FungibleToken"\n\ntransaction(amount: UFix64, to: Address) {}\n',
        template_category: exampleTransaction.template_category,
        template_label: exampleTransaction.template_label,
      },
    ],
  },
  handler: async ({ params }, { database, network }) => {
    const hash = hashBytes(params.hash).toString('hex')
    const found = (await readScripts(database, network(), [hash])).get(hash)
    if (found === undefined) {
      throw new ApiError(404, 'unknown-script', `No stored transaction uses script ${hash}.`, { field: 'hash' })
    }
    const { text, template } = found
    return {
      body: {
        data: [
          {
            script_hash: hash,
            script_text: text,
            template_category: template.category,
            template_label: template.label,
          },
        ],
      },
    }
  },
})

export const scriptRoutes = [script]
