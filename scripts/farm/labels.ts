import { withDatabase } from '../cli/open-database.ts'
import { pluralize, print, printJson, tableText } from '../cli/texts.ts'
import { listLabels, putLabel, removeLabels } from '../../src/explorer/admin/labels.ts'
import type { AccountLabel } from '../../src/explorer/admin/labels.ts'
import type { LabelCategory } from '../../src/flow/core-contracts.ts'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'

interface LabelsOptions {
  readonly address: string | undefined
  readonly tag: string | undefined
  readonly label: string | undefined
  readonly category: LabelCategory
  readonly json: boolean
}

export function labels(action: string, { tag, label, category, json, ...options }: LabelsOptions): Promise<number> {
  const address = options.address === undefined ? undefined : accountAddress(options.address)
  if (action === 'remove') return remove(needed(address, 'address'), tag, json)
  if (action === 'list') return list(address, json)
  const given = { tag: labelTag(needed(tag, 'tag')), label: needed(label, 'label'), category }
  return add({ address: needed(address, 'address'), ...given }, json)
}

function list(address: string | undefined, json: boolean): Promise<number> {
  return withDatabase(async ({ pool }) => {
    const found = await listLabels(pool, address)
    if (json) printJson({ labels: found })
    else print(found.length === 0 ? 'No matching labels.' : labelsTable(found))
    return exitCodes.success
  })
}

function add(label: Omit<AccountLabel, 'isBuiltIn'>, json: boolean): Promise<number> {
  return withDatabase(async ({ pool }) => {
    await putLabel(pool, label)
    if (json) printJson({ added: label })
    else print(`${label.address} has the label ${label.label}.`)
    return exitCodes.success
  })
}

function remove(address: string, tag: string | undefined, json: boolean): Promise<number> {
  return withDatabase(async ({ pool }) => {
    const removed = await removeLabels(pool, address, tag)
    if (json) printJson({ removed })
    else print(removed === 0 ? 'No matching labels.' : `${pluralize(removed, 'label')} removed.`)
    return exitCodes.success
  })
}

function labelsTable(shown: readonly AccountLabel[]): string {
  return tableText(
    [
      { title: 'Address', value: ({ address }) => address },
      { title: 'Tag', value: ({ tag }) => tag },
      { title: 'Category', value: ({ category }) => category },
      { title: 'From', value: ({ isBuiltIn }) => (isBuiltIn ? 'flowfarm' : 'operator') },
      { title: 'Label', value: ({ label }) => label },
    ],
    shown,
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
