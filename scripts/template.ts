import { readFile } from 'node:fs/promises'
import { asError, exitCodes, FatalError } from '../src/platform/errors.ts'
import { networks } from '../src/flow/network.ts'
import type { Network } from '../src/flow/network.ts'
import { scriptTemplate } from '../src/flow/templates/script-template.ts'
import { listTemplates, putTemplate, removeTemplate } from '../src/explorer/admin/script-templates.ts'
import type { OwnTemplate } from '../src/explorer/admin/script-templates.ts'
import { runCommand } from './cli/command.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, someOf, text } from './cli/options.ts'
import { tableText } from './cli/table.ts'
import { print, printJson } from './cli/texts.ts'

/** Tells the template of a script, and keeps the operator's own ones in app.script_templates. */

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
  summary:
    'Tells what kind of script a file holds, and keeps templates of your own for scripts that flowfarm does not know.',
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
  run: async ({
    action,
    options: {
      file,
      network: [network = 'mainnet'],
      category,
      label,
      json,
    },
  }) => {
    if (action === 'show') {
      const { script } = await hashOf(file, network)
      const { normalHash, template, foundBy } = scriptTemplate(script, network)
      if (json) printJson({ normal_hash: normalHash, ...template, found_by: foundBy })
      else
        print(`${normalHash}\n${template.category || 'no category'}, ${template.label || 'no label'} (by ${foundBy})`)
      return exitCodes.done
    }
    return withDatabase(async ({ pool }) => {
      let said: string | undefined
      if (action !== 'list') {
        const { hash } = await hashOf(file, network)
        if (action === 'remove')
          said = (await removeTemplate(pool, hash)) ? 'Removed.' : 'There was no template of this script to remove.'
        else {
          const template = {
            normalHash: hash,
            category: required(category, 'category'),
            label: required(label, 'label'),
          }
          await putTemplate(pool, template)
          said = `Transactions with this script show ${template.category}, ${template.label} from now on.`
        }
      }
      const templates = await listTemplates(pool)
      if (json)
        printJson({ templates: templates.map(({ normalHash, ...rest }) => ({ normal_hash: normalHash, ...rest })) })
      else
        print(
          said ??
            (templates.length === 0
              ? 'No template was added.'
              : tableText<OwnTemplate>(
                  [
                    { title: 'CATEGORY', value: (one) => one.category },
                    { title: 'LABEL', value: (one) => one.label },
                    { title: 'HASH', value: (one) => one.normalHash },
                  ],
                  templates,
                )),
        )
      return exitCodes.done
    })
  },
})
