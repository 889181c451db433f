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

/** What the script gets of an account. */
export interface AuthorizedAccount {
  /** With 0x, 16 digits. */
  readonly address: string
  readonly isOwn: boolean
  /** Worst first. Empty: read-only access. Undefined: the access could not be determined. */
  readonly rights: readonly Right[] | undefined
}

export interface NamedValue extends ReadableValue {
  /** Undefined where the script does not tell. */
  readonly name: string | undefined
}

/** A transaction as people read it. */
export interface TransactionSummary {
  /** One of the wallet's own scripts, with arguments that it would write; undefined for all others. */
  readonly known: KnownTransaction | undefined
  readonly proposer: string
  readonly payer: string
  readonly isPayer: boolean
  readonly isProposer: boolean
  readonly accounts: readonly AuthorizedAccount[]
  readonly values: readonly NamedValue[]
  readonly imports: readonly ImportedContracts[]
  readonly computeLimit: number
  /** What somebody has to know before anything else, worst first. */
  readonly warnings: readonly string[]
}

/** Parameters of scripts that are longer are not looked for. */
const maxToRead = 200_000
const weights: readonly Weight[] = ['bad', 'warn', 'plain']

/** @param signer the account of whoever looks at it. @throws SigningError for an address that is none */
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

interface Seen {
  readonly known: KnownTransaction | undefined
  readonly accounts: readonly AuthorizedAccount[]
  readonly script: string
  readonly imports: readonly ImportedContracts[]
  readonly hasHiddenCharacters: boolean
  readonly chain: FlowChain
}

function warningsOf({ known, accounts, script, imports, hasHiddenCharacters, chain }: Seen): readonly string[] {
  const own = accounts.filter(({ isOwn }) => isOwn)
  if (known?.name === 'send-flow' || own.length === 0) return hasHiddenCharacters ? [hiddenWarning] : []
  const warnings: string[] = []
  const granted = own.flatMap(({ rights }) => rights ?? []).filter(({ weight }) => weight === 'bad')
  for (const { name, words } of granted) warnings.push(`It can ${words} (${name}).`)
  if (own.some(({ rights }) => rights === undefined))
    warnings.push('It cannot be told what this may do with your account: it may be anything.')
  const elsewhere = namedDangers(script).filter(({ name }) => !granted.some((one) => one.name === name))
  if (elsewhere.length > 0)
    warnings.push(
      `Its code names ${elsewhere.map(({ name }) => name).join(', ')}: rights over a whole account. Look at what ` +
        'it does with them.',
    )
  if (hasHiddenCharacters) warnings.push(hiddenWarning)
  return [...new Set([...warnings, ...falseNames(imports, chain)])]
}

const hiddenWarning = 'There are characters in its code that cannot be seen. Honest code has none.'

/** Contracts that are called as those which hold FLOW, and are others. */
function falseNames(imports: readonly ImportedContracts[], chain: FlowChain): readonly string[] {
  const { fungibleToken, flowToken } = flowContracts[chain]
  const right: Readonly<Record<string, string>> = { FungibleToken: fungibleToken, FlowToken: flowToken }
  // One may be called otherwise here: `import Mine as FlowToken`.
  return imports.flatMap(({ names, from }) =>
    names
      .flatMap((name) => name.split(' as '))
      .flatMap((name) => {
        const expected = Object.hasOwn(right, name) ? right[name] : undefined
        const isFalse =
          expected !== undefined && from?.startsWith('0x') === true && from.slice(2).padStart(16, '0') !== expected
        return isFalse
          ? [`Its ${name} of ${from} is not the one that everybody uses here, whatever its name says.`]
          : []
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
  /** Of Cadence, such as `BorrowValue`. */
  readonly name: string
  /** What the script may do by it: goes on after "This can". */
  readonly words: string
  readonly weight: Weight
}

const known: Readonly<Record<string, readonly [Weight, string]>> = {
  Keys: ['bad', 'add and revoke keys of the account: who has its keys has all of it, for good'],
  AddKey: ['bad', 'add keys to the account: whoever holds such a key has all of it, for good'],
  RevokeKey: ['bad', 'revoke keys of the account: you may never get in again'],
  Contracts: ['bad', 'add, change and remove contracts of the account'],
  AddContract: ['bad', 'add contracts to the account'],
  UpdateContract: ['bad', 'change contracts of the account'],
  RemoveContract: ['bad', 'remove contracts of the account'],
  Capabilities: ['bad', 'hand access to the account, or to what it stores, to others, also for later'],
  AccountCapabilities: ['bad', 'hand access to the whole account to others, also for later'],
  IssueAccountCapabilityController: ['bad', 'hand access to the whole account to others, also for later'],
  Storage: ['warn', 'use, take and replace all that the account stores: tokens and NFTs too'],
  LoadValue: ['warn', 'take out what the account stores: tokens and NFTs too'],
  BorrowValue: ['warn', 'use what the account stores: also to send its tokens and NFTs'],
  StorageCapabilities: ['warn', 'lend what the account stores to others, also for later'],
  IssueStorageCapabilityController: ['warn', 'lend what the account stores to others, also for later'],
  GetAccountCapabilityController: ['warn', 'change or end access to the account that was given before'],
  GetStorageCapabilityController: ['warn', 'change or end what was lent before'],
  SaveValue: ['plain', 'store something new in the account'],
  CopyValue: ['plain', 'read copies of data that the account stores'],
  PublishCapability: ['plain', 'make something of the account public that was lent before'],
  UnpublishCapability: ['plain', 'take back what was made public'],
  Inbox: ['plain', 'use the inbox of the account'],
  PublishInboxCapability: ['plain', 'offer something that was lent before to another account'],
  UnpublishInboxCapability: ['plain', 'take back such an offer'],
  ClaimInboxCapability: ['plain', 'accept what another account offers'],
}

/** What an entitlement allows. One that is not known may allow anything. */
export function rightOf(name: string): Right {
  const [weight, words] = (Object.hasOwn(known, name) ? known[name] : undefined) ?? [
    'bad',
    'do something that this wallet does not know',
  ]
  return { name, words, weight }
}

/**
 * The rights over a whole account that a text names anywhere, comments and all. A script that has such a right has to
 * name it, so what is not found here no reading of it can have missed.
 */
export function namedDangers(text: string): readonly Right[] {
  return Object.entries(known).flatMap(([name, [weight, words]]) =>
    weight === 'bad' && new RegExp(`\\b${name}\\b`).test(text) ? [{ name, words, weight }] : [],
  )
}
