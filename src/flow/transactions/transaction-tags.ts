import { coreContracts } from '../core-contracts.ts'
import type { CoreContracts } from '../core-contracts.ts'
import type { DecodedTransaction } from '../decoded-block.ts'
import { cachedByType } from '../event-type-cache.ts'
import type { Network } from '../network.ts'
import { isScheduledExecution } from '../code/system-scripts.ts'
import { tokenMovesOf } from '../tokens/read-token-moves.ts'
import type { FungibleTransfer, TransferType } from '../tokens/token-moves.ts'

/** In display order. */
export const transactionTags = [
  'EVM',
  'EVM_BRIDGE',
  'FT_TRANSFER',
  'NFT_TRANSFER',
  'MARKETPLACE',
  'SWAP',
  'LIQUIDITY',
  'STAKING',
  'LIQUID_STAKING',
  'TOKEN_MINT',
  'TOKEN_BURN',
  'CONTRACT_DEPLOY',
  'ACCOUNT_CREATED',
  'KEY_UPDATE',
  'SCHEDULED_TX',
] as const
export type TransactionTag = (typeof transactionTags)[number]

interface Rule {
  /** Undefined for contracts deployed in many accounts. */
  readonly account?: keyof CoreContracts
  /** Matches `<contract>.<event>`. */
  readonly event: RegExp
  readonly tag: TransactionTag
}

const rules: readonly Rule[] = [
  { account: 'service', event: /^EVM\.TransactionExecuted$/, tag: 'EVM' },
  { account: 'service', event: /^EVM\.FLOWTokens(Deposited|Withdrawn)$/, tag: 'EVM_BRIDGE' },
  { account: 'evmBridge', event: /^I?FlowEVM/, tag: 'EVM_BRIDGE' },
  { event: /^(NFTStorefront|TopShotMarket)/, tag: 'MARKETPLACE' },
  { event: /^\w*SwapPair\.(Swap|Trade)$/, tag: 'SWAP' },
  { event: /^\w*SwapPair\.((Add|Remove)Liquidity|Tokens(Minted|Burned))$/, tag: 'LIQUIDITY' },
  { account: 'staking', event: /^FlowIDTableStaking\./, tag: 'STAKING' },
  { account: 'lockedTokens', event: /^FlowStakingCollection\./, tag: 'STAKING' },
  { event: /^(LiquidStaking|stFlowToken\.)/, tag: 'LIQUID_STAKING' },
  { account: 'service', event: /^FlowTransactionScheduler\./, tag: 'SCHEDULED_TX' },
  // FLOW mints for node rewards are not tagged.
  { event: /^(?!FlowToken\.)\w+\.TokensMinted$/, tag: 'TOKEN_MINT' },
  { event: /^\w+\.TokensBurned$/, tag: 'TOKEN_BURN' },
  { account: 'fungibleToken', event: /^FungibleToken\.Burned$/, tag: 'TOKEN_BURN' },
]

const coreEvents: ReadonlyMap<string, TransactionTag> = new Map([
  ['flow.AccountContractAdded', 'CONTRACT_DEPLOY'],
  ['flow.AccountContractUpdated', 'CONTRACT_DEPLOY'],
  ['flow.AccountCreated', 'ACCOUNT_CREATED'],
  ['flow.AccountKeyAdded', 'KEY_UPDATE'],
  ['flow.AccountKeyRemoved', 'KEY_UPDATE'],
])

const tagOfMove: Readonly<Partial<Record<TransferType, TransactionTag>>> = {
  mint: 'TOKEN_MINT',
  burn: 'TOKEN_BURN',
  bridge: 'EVM_BRIDGE',
}

const none: readonly TransactionTag[] = []

/**
 * In the order of `transactionTags`:
 *
 * - `EVM`: the script contains `import EVM`, or an EVM transaction was executed
 *
 * - `FT_TRANSFER`: without fees and zero amounts; `TOKEN_MINT`, `TOKEN_BURN` and `EVM_BRIDGE`
 * follow from the types of these transfers
 *
 * - `SCHEDULED_TX`: scheduled, canceled or ran a scheduled transaction, even a failed one
 *
 * - others: by event type
 */
export function tagsOfTransaction(transaction: DecodedTransaction, network: Network): readonly TransactionTag[] {
  const { isEvm, events } = transaction
  if (!isEvm && events.length === 0 && !transaction.isSystem) return none
  const found = new Set<TransactionTag>()
  if (isEvm) found.add('EVM')
  const tagsOf = tagsOfType(network)
  for (const { type } of events) for (const tag of tagsOf(type)) found.add(tag)
  const { fungible, nonFungible } = tokenMovesOf(transaction, network)
  for (const move of fungible) {
    if (!isRealTransfer(move)) continue
    found.add('FT_TRANSFER')
    const tag = tagOfMove[move.type]
    if (tag !== undefined) found.add(tag)
  }
  if (nonFungible.length > 0) found.add('NFT_TRANSFER')
  if (isScheduledExecution(transaction, network)) found.add('SCHEDULED_TX')
  return found.size === 0 ? none : transactionTags.filter((tag) => found.has(tag))
}

/** Forwarding contracts emit zero amounts. */
function isRealTransfer({ type, amount }: FungibleTransfer): boolean {
  return type !== 'fee' && /[1-9]/.test(amount)
}

const tagsOfType = cachedByType((network) => (type): readonly TransactionTag[] => {
  const core = coreEvents.get(type)
  if (core !== undefined) return [core]
  const parts = /^A\.([0-9a-f]{16})\.(.+)$/.exec(type)
  if (parts === null) return none
  const [, address, event = ''] = parts
  const accounts = coreContracts(network)
  const fits = ({ account, event: pattern }: Rule): boolean =>
    (account === undefined || accounts[account] === address) && pattern.test(event)
  return [...new Set(rules.filter(fits).map(({ tag }) => tag))]
})
