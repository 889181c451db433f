import { exitCodes, FatalError } from '../src/platform/errors.ts'
import { labelCategories } from '../src/flow/known-accounts.ts'
import { listLabels, putLabel, removeLabels } from '../src/explorer/admin/account-labels.ts'
import type { AccountLabel } from '../src/explorer/admin/account-labels.ts'
import { runCommand } from './cli/command.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, someOf, text } from './cli/options.ts'
import { tableText } from './cli/table.ts'
import { many, print, printJson } from './cli/texts.ts'

/** `npm run labels`: what accounts are known as. */
await runCommand({
  name: 'labels',
  summary: 'Shows and changes what accounts are known as.',
  actions: {
    list: 'Show the labels of all accounts, or of one.',
    add: 'Give an account a label, in the place of one with the same tag. Needs --address, --tag and --label.',
    remove: 'Take labels of an account away. Needs --address.',
  },
  options: {
    address: text('<address>', 'The account: 0x and 16 hex digits, or 40 for an EVM account.'),
    tag: text('<word>', 'Short name of the label: lower case, digits and dashes. For remove: only this one.'),
    label: text('<text>', 'The name to show.'),
    category: someOf('<category>', labelCategories, `For add, one of ${labelCategories.join(', ')}. Default: custom.`),
    json: flag('Print the result as JSON.'),
  },
  notes: [
    'The accounts of the core contracts have labels of their own, which come back with the next start of the farm.',
  ],
  examples: [
    ['list', 'All labels.'],
    ['add --address 0x1654653399040a61 --tag vault --label "Our vault"', 'Name an account.'],
    ['remove --address 0x1654653399040a61 --tag vault', 'Forget that name.'],
  ],
  run: ({ action, options }) => {
    const address = options.address === undefined ? undefined : accountAddress(options.address)
    const {
      tag,
      label,
      category: [category = 'custom'],
      json,
    } = options
    if (action === 'add')
      return add(
        {
          address: needed(address, 'address'),
          tag: labelTag(needed(tag, 'tag')),
          label: needed(label, 'label'),
          category,
        },
        json,
      )
    if (action === 'remove') return remove(needed(address, 'address'), tag, json)
    return list(address, json)
  },
})

function list(address: string | undefined, json: boolean): Promise<number> {
  return withDatabase(async ({ pool }) => {
    const labels = await listLabels(pool, address)
    if (json) printJson({ labels })
    else print(labels.length === 0 ? 'No label fits.' : labelsTable(labels))
    return exitCodes.done
  })
}

function add(label: Omit<AccountLabel, 'isBuiltIn'>, json: boolean): Promise<number> {
  return withDatabase(async ({ pool }) => {
    await putLabel(pool, label)
    if (json) printJson({ added: label })
    else print(`${label.address} is known as ${label.label}.`)
    return exitCodes.done
  })
}

function remove(address: string, tag: string | undefined, json: boolean): Promise<number> {
  return withDatabase(async ({ pool }) => {
    const removed = await removeLabels(pool, address, tag)
    if (json) printJson({ removed })
    else print(removed === 0 ? 'No label fits.' : `${many(removed, 'label')} removed.`)
    return exitCodes.done
  })
}

function labelsTable(labels: readonly AccountLabel[]): string {
  return tableText(
    [
      { title: 'Address', value: ({ address }) => address },
      { title: 'Tag', value: ({ tag }) => tag },
      { title: 'Category', value: ({ category }) => category },
      { title: 'From', value: ({ isBuiltIn }) => (isBuiltIn ? 'flowfarm' : 'operator') },
      { title: 'Label', value: ({ label }) => label },
    ],
    labels,
  )
}

function needed<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new FatalError('bad-option', `--${name} is missing.`)
  return value
}

function accountAddress(given: string): string {
  const digits = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{16})$/i.exec(given)?.[1]
  if (digits === undefined) {
    throw new FatalError('bad-option', `--address must be 16 hex digits, or 40 for an EVM account, not "${given}".`)
  }
  return `0x${digits.toLowerCase()}`
}

function labelTag(given: string): string {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(given)) {
    throw new FatalError('bad-option', `--tag must be lower-case letters, digits and dashes, not "${given}".`)
  }
  return given
}
