import { readFile } from 'node:fs/promises'
import { withDatabase } from '../cli/open-database.ts'
import { print, printJson, tableText } from '../cli/texts.ts'
import { listTemplates, putTemplate, removeTemplate } from '../../src/explorer/admin/templates.ts'
import type { OwnTemplate } from '../../src/explorer/admin/templates.ts'
import type { Network } from '../../src/flow/network.ts'
import { scriptTemplate } from '../../src/flow/code/script-template.ts'
import { asError, exitCodes, FatalError } from '../../src/platform/errors.ts'

async function hashOf(file: string | undefined, network: Network): Promise<{ hash: string; script: string }> {
  if (file === undefined) throw new FatalError('bad-option', '--file is missing: the file with the Cadence script.')
  const script = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new FatalError('bad-option', `--file ${file} cannot be read: ${asError(error).message}`)
  })
  return { hash: scriptTemplate(script, network).normalHash, script }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new FatalError('bad-option', `--${name} is missing.`)
  return value
}

interface TemplateOptions {
  readonly file: string | undefined
  readonly network: Network
  readonly category: string | undefined
  readonly label: string | undefined
  readonly json: boolean
}

export async function template(action: string, options: TemplateOptions): Promise<number> {
  const { file, network, category, label, json } = options
  if (action === 'show') {
    const { script } = await hashOf(file, network)
    const { normalHash, template: found, foundBy } = scriptTemplate(script, network)
    if (json) printJson({ normal_hash: normalHash, ...found, found_by: foundBy })
    else print(`${normalHash}\n${found.category || 'no category'}, ${found.label || 'no label'} (by ${foundBy})`)
    return exitCodes.success
  }
  return withDatabase(async ({ pool }) => {
    let printed: string | undefined
    if (action !== 'list') {
      const { hash } = await hashOf(file, network)
      if (action === 'remove')
        printed = (await removeTemplate(pool, hash)) ? 'Removed.' : 'This script has no own template.'
      else {
        const own = {
          normalHash: hash,
          category: required(category, 'category'),
          label: required(label, 'label'),
        }
        await putTemplate(pool, own)
        printed = `Transactions with this script now show ${own.category}, ${own.label}.`
      }
    }
    const templates = await listTemplates(pool)
    if (json)
      printJson({ templates: templates.map(({ normalHash, ...rest }) => ({ normal_hash: normalHash, ...rest })) })
    else
      print(
        printed ??
          (templates.length === 0
            ? 'No own templates.'
            : tableText<OwnTemplate>(
                [
                  { title: 'CATEGORY', value: (one) => one.category },
                  { title: 'LABEL', value: (one) => one.label },
                  { title: 'HASH', value: (one) => one.normalHash },
                ],
                templates,
              )),
      )
    return exitCodes.success
  })
}
