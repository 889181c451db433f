import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'

/** Characters of scripts that are kept: a few thousand scripts make up nearly all transactions. */
const mostCharacters = 16 * 1024 * 1024
const known = new Map<string, string>()
let characters = 0

const scriptRow = z.object({ script_hash: z.string(), script_text: z.string() })

/** Script texts by hash, in hex: those that are not known yet are read in one statement. Leaves out what is not stored. */
export async function readScriptTexts(
  database: DatabasePool, hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const missing = new Set<string>()
  for (const hash of hashes) {
    const text = known.get(hash)
    if (text === undefined) missing.add(hash)
    else found.set(hash, text)
  }
  if (missing.size === 0) return found
  const rows = await database.any(sql.type(scriptRow)`
    select encode(script_hash, 'hex') as script_hash, script_text from raw.scripts
    where script_hash = any (${sql.array([...missing].map((hash) => Buffer.from(hash, 'hex')), 'bytea')})
  `)
  for (const { script_hash: hash, script_text: text } of rows) {
    found.set(hash, text)
    keep(hash, text)
  }
  return found
}

function keep(hash: string, text: string): void {
  // A cache that is full starts anew, which costs some reads.
  if (characters + text.length > mostCharacters) {
    known.clear()
    characters = 0
  }
  if (!known.has(hash)) characters += text.length
  known.set(hash, text)
}
