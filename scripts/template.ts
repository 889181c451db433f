import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { asError, exitCodes, FatalError } from '../src/base/errors.ts'
import { networks } from '../src/chain/network.ts'
import type { Network } from '../src/chain/network.ts'
import { scriptTemplate } from '../src/chain/templates/script-template.ts'
import { query } from '../src/db/pool.ts'
import { runCommand } from './cli/command.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, someOf, text } from './cli/options.ts'
import { tableText } from './cli/table.ts'
import { print, printJson } from './cli/texts.ts'

/** Tells the template of a script, and keeps the operator's own ones in app.script_templates. */

interface OwnTemplate {
  readonly normal_hash: string
  readonly category: string
  readonly label: string
}

async function listOwn(pool: pg.Pool): Promise<readonly OwnTemplate[]> {
  const { rows } = await query<OwnTemplate>(pool, `
    select encode(normal_hash, 'hex') as normal_hash, category, label from app.script_templates
    order by category, label, normal_hash`)
  return rows
}

async function add(pool: pg.Pool, template: OwnTemplate): Promise<string> {
  await query(pool, `
    insert into app.script_templates (normal_hash, category, label) values (decode($1, 'hex'), $2, $3)
    on conflict (normal_hash) do update set category = excluded.category, label = excluded.label`,
  [template.normal_hash, template.category, template.label])
  return `Transactions with this script show ${template.category}, ${template.label} from now on.`
}

async function remove(pool: pg.Pool, hash: string): Promise<string> {
  const { rowCount } = await query(pool, "delete from app.script_templates where normal_hash = decode($1, 'hex')", [hash])
  return rowCount === 0 ? 'There was no template of this script to remove.' : 'Removed.'
}

async function hashOf(file: string | undefined, network: Network): Promise<{ hash: string; script: string }> {
  if (file === undefined) throw new FatalError('bad-option', '--file is missing: the file with the Cadence script.')
  const script = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new FatalError('bad-option', `--file ${file} cannot be read: ${asError(error).message}`)
  })
  return { hash: scriptTemplate(script, network).normalHash, script }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new FatalError('bad-option', `--${name} is missing: what transactions are to show.`)
  return value
}

await runCommand({
  name: 'template',
  summary: 'Tells what kind of script a file holds, and keeps templates of your own for scripts that flowfarm does not know.',
  actions: {
    show: 'Tell the hash of the normal form of a script, its template, and by what that was found.',
    add: 'Keep a template for this script, in place of an earlier one and of what flowfarm knows.',
    remove: 'Remove the template of this script.',
    list: 'Show the templates that were added.',
  },
  options: {
    file: text('<file>', 'The file with the Cadence script.'),
    network: someOf('<name>', networks, `Network that its imports are of: ${networks.join(', ')}. Default mainnet.`),
    category: text('<word>', 'What transactions show as template_category.'),
    label: text('<text>', 'What transactions show as template_label.'),
    json: flag('Print JSON.'),
  },
  notes: [
    'The same template holds for all variants that differ only in comments, white space, the order of imports and the network.',
  ],
  examples: [
    ['show --file transfer.cdc', 'Tell how transactions with this script are shown.'],
    ['add --file mint.cdc --category NFT_MINT --label "Mint a stone"', 'Give the script a name.'],
  ],
  run: async ({ action, options: { file, network: [network = 'mainnet'], category, label, json } }) => {
    if (action === 'show') {
      const { script } = await hashOf(file, network)
      const { normalHash, template, foundBy } = scriptTemplate(script, network)
      if (json) printJson({ normal_hash: normalHash, ...template, found_by: foundBy })
      else print(`${normalHash}\n${template.category || 'no category'}, ${template.label || 'no label'} (by ${foundBy})`)
      return exitCodes.done
    }
    return withDatabase(async ({ pool }) => {
      let said: string | undefined
      if (action !== 'list') {
        const { hash } = await hashOf(file, network)
        said = action === 'remove'
          ? await remove(pool, hash)
          : await add(pool, { normal_hash: hash, category: required(category, 'category'), label: required(label, 'label') })
      }
      const templates = await listOwn(pool)
      if (json) printJson({ templates })
      else print(said ?? (templates.length === 0 ? 'No template was added.' : tableText<OwnTemplate>([
        { title: 'CATEGORY', value: (one) => one.category },
        { title: 'LABEL', value: (one) => one.label },
        { title: 'HASH', value: (one) => one.normal_hash },
      ], templates)))
      return exitCodes.done
    })
  },
})
