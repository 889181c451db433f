import { hexOf } from '../../../clients/signing/bytes.ts'
import { accountOf } from '../../../clients/signing/encode-transaction.ts'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import { flowContracts } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { readKnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import type { KnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import { scriptParameters } from '../../kit/code-tokens.ts'
import { readCadenceValue } from './readable.ts'
import type { ReadableValue } from './readable.ts'
import { readScript } from './script-facts.ts'
import type { ImportedContracts } from './script-facts.ts'

export interface AuthorizedAccount {
  /** With 0x, 16 digits. */
  readonly address: string
  readonly isOwn: boolean
  /** Most severe first. Empty: read-only access. Undefined: the access could not be determined. */
  readonly rights: readonly Right[] | undefined
}

export interface NamedValue extends ReadableValue {
  readonly name: string | undefined
}

export interface TransactionSummary {
  /** One of the wallet's own scripts with arguments that it would write; undefined for others. */
  readonly known: KnownTransaction | undefined
  readonly proposer: string
  readonly payer: string
  readonly isPayer: boolean
  readonly isProposer: boolean
  readonly accounts: readonly AuthorizedAccount[]
  readonly values: readonly NamedValue[]
  readonly imports: readonly ImportedContracts[]
  readonly computeLimit: number
  readonly warnings: readonly string[]
}

/** Characters. */
const maxToRead = 200_000
const weights: readonly Weight[] = ['bad', 'warn', 'plain']

/** @throws SigningError for an invalid address */
export function summarize(
  transaction: FlowTransaction,
  signer: { readonly address: string },
  chain: FlowChain,
): TransactionSummary {
  const { script, proposalKey, authorizers, computeLimit } = transaction
  const own = fullAddress(signer.address)
  const [proposer, payer] = [fullAddress(proposalKey.address), fullAddress(transaction.payer)]
  const { accounts: prepared, imports, hasHiddenCharacters } = readScript(script)
  const isRead = prepared?.length === authorizers.length && !hasHiddenCharacters
  const accounts = authorizers.map((address, at): AuthorizedAccount => {
    const names = isRead ? prepared[at]?.entitlements : undefined
    return {
      address: fullAddress(address),
      isOwn: fullAddress(address) === own,
      rights: names?.map(rightOf).toSorted((a, b) => weights.indexOf(a.weight) - weights.indexOf(b.weight)),
    }
  })
  const known = authorizers.length === 1 ? readKnownTransaction(transaction, chain) : undefined
  const names = script.length > maxToRead ? [] : scriptParameters(script)
  const values = transaction.arguments.map((argument, at) => ({
    ...readCadenceValue(JSON.parse(argument)),
    name: names.length === transaction.arguments.length ? names[at]?.name : undefined,
  }))
  return {
    known,
    proposer,
    payer,
    isPayer: payer === own,
    isProposer: proposer === own,
    accounts,
    values,
    imports,
    computeLimit,
    warnings: warningsOf({ known, accounts, script, imports, hasHiddenCharacters, chain }),
  }
}

interface WarningInput {
  readonly known: KnownTransaction | undefined
  readonly accounts: readonly AuthorizedAccount[]
  readonly script: string
  readonly imports: readonly ImportedContracts[]
  readonly hasHiddenCharacters: boolean
  readonly chain: FlowChain
}

function warningsOf({ known, accounts, script, imports, hasHiddenCharacters, chain }: WarningInput): readonly string[] {
  const own = accounts.filter(({ isOwn }) => isOwn)
  if (known?.name === 'send-flow' || own.length === 0) return hasHiddenCharacters ? [hiddenWarning] : []
  const warnings: string[] = []
  const granted = own.flatMap(({ rights }) => rights ?? []).filter(({ weight }) => weight === 'bad')
  for (const { name, description } of granted) warnings.push(`The code can ${description} (${name}).`)
  if (own.some(({ rights }) => rights === undefined))
    warnings.push('Could not determine what the code can do with your account. It may do anything.')
  const elsewhere = namedDangers(script).filter(({ name }) => !granted.some((one) => one.name === name))
  if (elsewhere.length > 0)
    warnings.push(
      `The code mentions ${elsewhere.map(({ name }) => name).join(', ')}: rights over a whole account. Review ` +
        'the code.',
    )
  if (hasHiddenCharacters) warnings.push(hiddenWarning)
  return [...new Set([...warnings, ...falseNames(imports, chain)])]
}

const hiddenWarning = 'The code contains invisible characters. They can hide what it does.'

/** Named like contracts that hold FLOW, at another address. */
function falseNames(imports: readonly ImportedContracts[], chain: FlowChain): readonly string[] {
  const { fungibleToken, flowToken } = flowContracts[chain]
  const right: Readonly<Record<string, string>> = { FungibleToken: fungibleToken, FlowToken: flowToken }
  // The import may be renamed: `import Mine as FlowToken`.
  return imports.flatMap(({ names, from }) =>
    names
      .flatMap((name) => name.split(' as '))
      .flatMap((name) => {
        const expected = Object.hasOwn(right, name) ? right[name] : undefined
        const isFalse =
          expected !== undefined && from?.startsWith('0x') === true && from.slice(2).padStart(16, '0') !== expected
        return isFalse ? [`The contract ${name} at ${from} is not the official ${name} of this network.`] : []
      }),
  )
}

/** With 0x, 16 digits, lower case. @throws SigningError */
export function fullAddress(address: string): string {
  return `0x${hexOf(accountOf(address, 'address'))}`
}

/** Severity: `bad` may take the whole account, `warn` may take what it holds. */
type Weight = 'bad' | 'warn' | 'plain'

interface Right {
  readonly name: string
  /** After "The code can". */
  readonly description: string
  readonly weight: Weight
}

const known: Readonly<Record<string, readonly [Weight, string]>> = {
  Keys: ['bad', 'add and revoke keys of the account: a key gives full control of the account'],
  AddKey: ['bad', 'add keys to the account: a key gives full control of the account'],
  RevokeKey: ['bad', 'revoke keys of the account: you may lose access permanently'],
  Contracts: ['bad', 'add, change and remove contracts of the account'],
  AddContract: ['bad', 'add contracts to the account'],
  UpdateContract: ['bad', 'change contracts of the account'],
  RemoveContract: ['bad', 'remove contracts of the account'],
  Capabilities: ['bad', 'give others lasting access to the account or its storage'],
  AccountCapabilities: ['bad', 'give others lasting access to the whole account'],
  IssueAccountCapabilityController: ['bad', 'give others lasting access to the whole account'],
  Storage: ['warn', 'use, take and replace everything in storage, including tokens and NFTs'],
  LoadValue: ['warn', 'take items out of storage, including tokens and NFTs'],
  BorrowValue: ['warn', 'use items in storage, for example send tokens and NFTs'],
  StorageCapabilities: ['warn', 'give others lasting access to items in storage'],
  IssueStorageCapabilityController: ['warn', 'give others lasting access to items in storage'],
  GetAccountCapabilityController: ['warn', 'change or revoke existing access to the account'],
  GetStorageCapabilityController: ['warn', 'change or revoke existing access to items in storage'],
  SaveValue: ['plain', 'store new items in the account'],
  CopyValue: ['plain', 'read data from storage'],
  PublishCapability: ['plain', 'make existing capabilities public'],
  UnpublishCapability: ['plain', 'unpublish capabilities'],
  Inbox: ['plain', 'use the inbox of the account'],
  PublishInboxCapability: ['plain', 'offer a capability to another account'],
  UnpublishInboxCapability: ['plain', 'withdraw such an offer'],
  ClaimInboxCapability: ['plain', 'accept a capability from another account'],
}

/** Unknown entitlements may allow anything. */
export function rightOf(name: string): Right {
  const [weight, description] = (Object.hasOwn(known, name) ? known[name] : undefined) ?? [
    'bad',
    'use a right that is unknown to this wallet',
  ]
  return { name, description, weight }
}

/**
 * Searches the whole text, comments included: a script must name entitlements, so no parsing error
 * can hide one.
 */
export function namedDangers(text: string): readonly Right[] {
  return Object.entries(known).flatMap(([name, [weight, description]]) =>
    weight === 'bad' && new RegExp(`\\b${name}\\b`).test(text) ? [{ name, description, weight }] : [],
  )
}
