import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Network } from '../../chain/network.ts'
import { scriptTemplate } from '../../chain/templates/script-template.ts'
import type { DescribedScript } from '../../chain/templates/script-template.ts'
import type { ScriptTemplate } from '../../chain/templates/template.ts'
import { readRecent } from '../kept/recent-reads.ts'

/** A script, and what kind it is. */
export interface StoredScript {
  readonly text: string
  readonly template: ScriptTemplate
}

interface KnownScript extends DescribedScript {
  readonly text: string
}

/** Characters of scripts that are kept: a few thousand scripts make up nearly all transactions. */
const mostCharacters = 16 * 1024 * 1024
const known = new Map<string, KnownScript>()
let characters = 0

const scriptRow = z.object({ script_hash: z.string(), script_text: z.string() })
const templateRow = z.object({ normal_hash: z.string(), category: z.string(), label: z.string() })

/**
 * Scripts by hash, in hex: those that are not known yet are read in one statement. Leaves out what is not stored. The
 * operator's templates come before the built-in ones.
 */
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
      const script = { text, ...scriptTemplate(text, network) }
      found.set(hash, script)
      keep(`${network} ${hash}`, script)
    }
  }
  const normalHashes = [...found.values()].map(({ normalHash }) => normalHash)
  const templates = await readRecent(database, 'template', normalHashes, (unknown) => readTemplates(database, unknown))
  return new Map(
    [...found].map(([hash, { text, template, normalHash }]) => [
      hash,
      { text, template: templates.get(normalHash) ?? template },
    ]),
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

function keep(key: string, script: KnownScript): void {
  // A cache that is full starts anew, which costs some reads.
  if (characters + script.text.length > mostCharacters) {
    known.clear()
    characters = 0
  }
  if (!known.has(key)) characters += script.text.length
  known.set(key, script)
}
