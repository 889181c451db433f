/**
 * What the tags of a transaction are made of: its tag events in the order of execution. Fields may be getters: they are
 * read only where they decide something.
 */
export interface TagEvent {
  readonly type: string
  /** Field `amount`, a decimal number; null where the event has none. */
  readonly amount: string | null
  /** Field `to`, an address; null where the event has none or it is nil. */
  readonly to: string | null
}

/** Every tag, in the order in which a transaction's are told. */
export const transactionTags = [
  'EVM', 'EVM_BRIDGE', 'FT_TRANSFER', 'NFT_TRANSFER', 'MARKETPLACE', 'SWAP', 'LIQUIDITY', 'STAKING', 'LIQUID_STAKING',
  'TOKEN_MINT', 'TOKEN_BURN', 'CONTRACT_DEPLOY', 'ACCOUNT_CREATED', 'KEY_UPDATE', 'SCHEDULED_TX',
] as const
export type TransactionTag = (typeof transactionTags)[number]

export interface TransactionSummaryFacts {
  readonly tags: readonly TransactionTag[]
  /** What the payer paid, a decimal number with 8 places; undefined where the transaction deducted no fee. */
  readonly fee: string | undefined
}

/** What an event says by its type. `ft` and `nft` events tell of an arrival, if their fields say where. */
type Meaning = TransactionTag | 'fee' | 'ft-standard' | 'ft-own' | 'nft'

interface Rule {
  /** The end of a type, or of its contract part with what follows, as a pattern of SQL's `like`. */
  readonly pattern: string
  readonly meaning: Meaning
}

/** The first that fits decides. The words of contracts that are deployed many times over go by name, not by account. */
const rules: readonly Rule[] = [
  { pattern: '%.FlowFees.FeesDeducted', meaning: 'fee' },
  { pattern: '%.FungibleToken.Deposited', meaning: 'ft-standard' },
  { pattern: '%.TokensDeposited', meaning: 'ft-own' },
  { pattern: '%.NonFungibleToken.Deposited', meaning: 'nft' },
  { pattern: '%.Deposit', meaning: 'nft' },
  { pattern: '%.EVM.TransactionExecuted', meaning: 'EVM' },
  { pattern: '%.EVM.FLOWTokens%', meaning: 'EVM_BRIDGE' },
  { pattern: '%.FlowEVMBridge%', meaning: 'EVM_BRIDGE' },
  { pattern: '%.IFlowEVM%Bridge.%', meaning: 'EVM_BRIDGE' },
  { pattern: '%.NFTStorefront%', meaning: 'MARKETPLACE' },
  { pattern: '%SwapPair.Swap', meaning: 'SWAP' },
  { pattern: '%SwapPair.Trade', meaning: 'SWAP' },
  { pattern: '%SwapPair.AddLiquidity', meaning: 'LIQUIDITY' },
  { pattern: '%SwapPair.RemoveLiquidity', meaning: 'LIQUIDITY' },
  { pattern: '%SwapPair.TokensMinted', meaning: 'LIQUIDITY' },
  { pattern: '%SwapPair.TokensBurned', meaning: 'LIQUIDITY' },
  { pattern: '%.FlowIDTableStaking.%', meaning: 'STAKING' },
  { pattern: '%.FlowStakingCollection.%', meaning: 'STAKING' },
  { pattern: '%.LiquidStaking%', meaning: 'LIQUID_STAKING' },
  { pattern: '%.stFlowToken.%', meaning: 'LIQUID_STAKING' },
  { pattern: '%.FlowTransactionScheduler.%', meaning: 'SCHEDULED_TX' },
  { pattern: '%.TokensMinted', meaning: 'TOKEN_MINT' },
  { pattern: '%.TokensBurned', meaning: 'TOKEN_BURN' },
  { pattern: '%.FungibleToken.Burned', meaning: 'TOKEN_BURN' },
  { pattern: 'flow.AccountContractAdded', meaning: 'CONTRACT_DEPLOY' },
  { pattern: 'flow.AccountContractUpdated', meaning: 'CONTRACT_DEPLOY' },
  { pattern: 'flow.AccountCreated', meaning: 'ACCOUNT_CREATED' },
  { pattern: 'flow.AccountKeyAdded', meaning: 'KEY_UPDATE' },
  { pattern: 'flow.AccountKeyRemoved', meaning: 'KEY_UPDATE' },
]

/** Patterns of SQL's `like` for the types of tag events: `describeTransaction` needs no others. */
export const tagEventPatterns: readonly string[] = rules.map(({ pattern }) => pattern)

const tests = rules.map(({ pattern, meaning }) => ({ test: asRegExp(pattern), meaning }))
const maxKnownTypes = 20_000
const known = new Map<string, Meaning | undefined>()

/** Whether `describeTransaction` looks at events of this type. One look into a table for a type seen before. */
export function isTagEvent(type: string): boolean {
  return meaningOf(type) !== undefined
}

/**
 * Tags and fee of a transaction, from its script and its own events.
 *
 * - `EVM`: the script imports EVM, or an EVM transaction was executed (a script reaches EVM through the bridge too).
 * - `FT_TRANSFER`: fungible tokens arrived in an account. Deposits of nothing and into vaults that lie in no account
 *   do not count, and neither does the movement of the fee: the last deposit of the fee's amount before each
 *   FlowFees.FeesDeducted. Going by amount and place, not by account, since the network spreads fees over accounts
 *   that it changes by itself. Tokens' own events count only where there are none of the standard.
 * - `NFT_TRANSFER`: an item arrived in an account.
 * - the others: an event says so by its type.
 *
 * @param isEvmScript whether the script contains the text `import EVM`
 */
export function describeTransaction(isEvmScript: boolean, events: readonly TagEvent[]): TransactionSummaryFacts {
  const found = new Set<TransactionTag>()
  if (isEvmScript) found.add('EVM')
  const hasStandard = events.some(({ type }) => meaningOf(type) === 'ft-standard')
  let fee: string | undefined
  const deposits: string[] = []
  for (const event of events) {
    const meaning = meaningOf(event.type)
    switch (meaning) {
      case undefined:
        break
      case 'fee': {
        if (event.amount === null) break
        fee = event.amount
        const at = deposits.lastIndexOf(fee)
        if (at >= 0) deposits.splice(at, 1)
        break
      }
      case 'ft-own':
      case 'ft-standard':
        if (hasStandard === (meaning === 'ft-standard')) addDeposit(deposits, event)
        break
      case 'nft':
        if (!found.has('NFT_TRANSFER') && event.to !== null) found.add('NFT_TRANSFER')
        break
      default:
        found.add(meaning)
    }
  }
  if (deposits.length > 0) found.add('FT_TRANSFER')
  return { tags: transactionTags.filter((tag) => found.has(tag)), fee }
}

function addDeposit(deposits: string[], { amount, to }: TagEvent): void {
  if (amount !== null && to !== null && /[1-9]/.test(amount)) deposits.push(amount)
}

function meaningOf(type: string): Meaning | undefined {
  const meaning = known.get(type)
  if (meaning !== undefined || known.has(type)) return meaning
  if (known.size >= maxKnownTypes) known.clear()
  const found = tests.find(({ test }) => test.test(type))?.meaning
  // FLOW is minted for what nodes earn, which is no news of its own.
  const told = found === 'TOKEN_MINT' && type.endsWith('.FlowToken.TokensMinted') ? undefined : found
  known.set(type, told)
  return told
}

/** The same as the pattern means to `like`; the patterns have no marks of their own but `%` and `.`. */
function asRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', String.raw`\.`).replaceAll('%', '.*')}$`)
}
