import type { Event } from './gen/answers.ts'
import type { Piece, Sentence, Statement } from './told-moves.ts'

type Change = Pick<Event, 'type' | 'event_name' | 'payload'>

/** What the protocol reports of an account, in the order in which it is told. */
const kinds = [
  'AccountCreated',
  'AccountContractAdded',
  'AccountContractUpdated',
  'AccountContractRemoved',
  'AccountKeyAdded',
  'AccountKeyRemoved',
  'CadenceOwnedAccountCreated',
] as const

type Kind = (typeof kinds)[number]

const contractVerbs: Partial<Record<Kind, string>> = {
  AccountContractAdded: 'deployed',
  AccountContractUpdated: 'updated',
  AccountContractRemoved: 'removed',
}

/** What became of accounts, keys and contracts: what nobody sees by what was moved. */
export function tellChanges(events: readonly Change[]): Statement[] {
  const changes = events.filter(
    ({ type }) => type.startsWith('flow.') || type.endsWith('.EVM.CadenceOwnedAccountCreated'),
  )
  const created = new Set(changesOf(changes, 'AccountCreated').map(addressOf))
  return kinds.flatMap((kind) => {
    const all = changesOf(changes, kind)
    // Whoever makes an account gives it keys.
    return tellKind(kind, kind === 'AccountKeyAdded' ? all.filter((change) => !created.has(addressOf(change))) : all)
  })
}

function changesOf(changes: readonly Change[], kind: Kind): Change[] {
  return changes.filter(({ event_name: name }) => name === kind)
}

function tellKind(kind: Kind, changes: readonly Change[]): Statement[] {
  const each = changes.map((change) => tellChange(kind, change))
  const [first] = each
  if (first === undefined) return []
  return each.length === 1 ? [{ said: first, details: [] }] : [{ said: [summaryOf(kind, each.length)], details: each }]
}

function tellChange(kind: Kind, change: Change): Sentence {
  const address = addressOf(change)
  const who: Piece = address === undefined ? 'somebody' : { account: address }
  const verb = contractVerbs[kind]
  if (verb !== undefined) return [who, ` ${verb} the contract `, contractOf(change)]
  if (kind === 'AccountCreated')
    return address === undefined ? ['An account was created'] : ['The account ', who, ' was created']
  if (kind === 'AccountKeyAdded') return [who, ' got a new key']
  if (kind === 'AccountKeyRemoved') return ['A key of ', who, ' was revoked']
  return ['The address ', who, ' was created in the EVM, for an account to act there']
}

function summaryOf(kind: Kind, count: number): string {
  const verb = contractVerbs[kind]
  if (verb !== undefined) return `${count} contracts were ${verb}`
  if (kind === 'AccountCreated') return `${count} accounts were created`
  if (kind === 'AccountKeyAdded') return `${count} keys were added to accounts`
  if (kind === 'AccountKeyRemoved') return `${count} keys were revoked`
  return `${count} addresses were created in the EVM`
}

function fieldOf({ payload }: Change, name: string): string | undefined {
  const value: unknown =
    typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function addressOf(change: Change): string | undefined {
  const address = fieldOf(change, 'address')
  return address === undefined || address.startsWith('0x') ? address : `0x${address}`
}

function contractOf(change: Change): Piece {
  const name = fieldOf(change, 'contract')
  const address = addressOf(change)
  if (name === undefined || address === undefined) return 'of an unknown name'
  return { contract: `A.${address.slice(2)}.${name}`, text: name }
}
