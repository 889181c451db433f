/** How much somebody has to fear of what a script may do: `bad` can take the whole account, `warn` can take what is in it. */
export type Weight = 'bad' | 'warn' | 'plain'

export interface Right {
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
 * The rights over a whole account that a text names anywhere, comments and all. A script that has such a right has to name it, so what is not found here
 * no reading of it can have missed.
 */
export function namedDangers(text: string): readonly Right[] {
  return Object.entries(known).flatMap(([name, [weight, words]]) =>
    weight === 'bad' && new RegExp(`\\b${name}\\b`).test(text) ? [{ name, words, weight }] : [],
  )
}
