import { coreContracts } from '../core-contracts.ts'
import type { Network } from '../network.ts'

/**
 * What an event means for tokens. `ft-` and `nft-` events are those of the standards since Cadence 1.0, which name each
 * vault and item by its uuid; `old-` events are those that contracts emitted themselves before, and many still do.
 * `own-minted` and `own-burned` are a contract's own words, of whatever fields: they move nothing, they say why
 * something moved. `tokens-burned` also says how much. `staking-` events are those of FlowIDTableStaking, which says
 * what for FLOW came into its account and left it; it moves nothing either.
 */
export type TokenEventKind =
  | 'ft-withdrawn'
  | 'ft-deposited'
  | 'ft-burned'
  | 'tokens-burned'
  | 'own-minted'
  | 'own-burned'
  | 'old-ft-withdrawn'
  | 'old-ft-deposited'
  | 'nft-withdrawn'
  | 'nft-deposited'
  | 'nft-destroyed'
  | 'old-nft-withdrawn'
  | 'old-nft-deposited'
  | 'evm-flow-deposited'
  | 'evm-flow-withdrawn'
  | 'ft-bridged-to-evm'
  | 'ft-bridged-from-evm'
  | 'nft-bridged-to-evm'
  | 'nft-bridged-from-evm'
  | StakingEventKind
  | 'fees-deducted'
  | 'fees-deposited'

/** `staking-node` is a new node, whose first stake may come with it and without a deposit. */
export type StakingEventKind =
  | 'staking-staked'
  | 'staking-node'
  | 'staking-unstaked'
  | 'staking-reward-withdrawn'
  | 'staking-reward-paid'

export type TokenEventKinds = (type: string) => TokenEventKind | undefined

/** Anybody may deploy contracts, so types have no end; far more than any network uses in a day. */
const maxKnownTypes = 20_000

const endings: ReadonlyArray<readonly [ending: string, kind: TokenEventKind]> = [
  ['.TokensWithdrawn', 'old-ft-withdrawn'],
  ['.TokensDeposited', 'old-ft-deposited'],
  ['.TokensBurned', 'tokens-burned'],
  ['.Withdraw', 'old-nft-withdrawn'],
  ['.Deposit', 'old-nft-deposited'],
]

/** Each is also told of delegators, as `Delegator…`. */
const stakingEvents: ReadonlyArray<readonly [name: string, kind: StakingEventKind]> = [
  ['TokensCommitted', 'staking-staked'],
  ['TokensStaked', 'staking-staked'],
  ['TokensUnstaking', 'staking-unstaked'],
  ['TokensUnstaked', 'staking-unstaked'],
  ['UnstakedTokensWithdrawn', 'staking-unstaked'],
  ['RewardTokensWithdrawn', 'staking-reward-withdrawn'],
  ['RewardsPaid', 'staking-reward-paid'],
]

const byNetwork = new Map<Network, TokenEventKinds>()

/** Tells token events of a network from others by their type alone; one look into a table for a type seen before. */
export function tokenEventKinds(network: Network): TokenEventKinds {
  let kinds = byNetwork.get(network)
  if (kinds === undefined) byNetwork.set(network, (kinds = makeKinds(network)))
  return kinds
}

function makeKinds(network: Network): TokenEventKinds {
  const standard = standardEvents(network)
  const known = new Map<string, TokenEventKind | undefined>()
  return (type) => {
    const kind = known.get(type)
    if (kind !== undefined || known.has(type)) return kind
    if (known.size >= maxKnownTypes) known.clear()
    const found = standard.get(type) ?? kindByEnding(type)
    known.set(type, found)
    return found
  }
}

function standardEvents(network: Network): ReadonlyMap<string, TokenEventKind> {
  const { fungibleToken, nonFungibleToken, service, flowFees, evmBridge, staking } = coreContracts(network)
  const ofStaking = (name: string): string => `A.${staking}.FlowIDTableStaking.${name}`
  return new Map<string, TokenEventKind>([
    [`A.${fungibleToken}.FungibleToken.Withdrawn`, 'ft-withdrawn'],
    [`A.${fungibleToken}.FungibleToken.Deposited`, 'ft-deposited'],
    [`A.${fungibleToken}.FungibleToken.Burned`, 'ft-burned'],
    [`A.${nonFungibleToken}.NonFungibleToken.Withdrawn`, 'nft-withdrawn'],
    [`A.${nonFungibleToken}.NonFungibleToken.Deposited`, 'nft-deposited'],
    [`A.${nonFungibleToken}.NonFungibleToken.NFT.ResourceDestroyed`, 'nft-destroyed'],
    [`A.${service}.EVM.FLOWTokensDeposited`, 'evm-flow-deposited'],
    [`A.${service}.EVM.FLOWTokensWithdrawn`, 'evm-flow-withdrawn'],
    [`A.${evmBridge}.IFlowEVMTokenBridge.BridgedTokensToEVM`, 'ft-bridged-to-evm'],
    [`A.${evmBridge}.IFlowEVMTokenBridge.BridgedTokensFromEVM`, 'ft-bridged-from-evm'],
    [`A.${evmBridge}.IFlowEVMNFTBridge.BridgedNFTToEVM`, 'nft-bridged-to-evm'],
    [`A.${evmBridge}.IFlowEVMNFTBridge.BridgedNFTFromEVM`, 'nft-bridged-from-evm'],
    [ofStaking('NewNodeCreated'), 'staking-node'],
    ...stakingEvents.map(([name, kind]) => [ofStaking(name), kind] as const),
    ...stakingEvents.map(([name, kind]) => [ofStaking(`Delegator${name}`), kind] as const),
    [`A.${flowFees}.FlowFees.FeesDeducted`, 'fees-deducted'],
    [`A.${flowFees}.FlowFees.TokensDeposited`, 'fees-deposited'],
  ])
}

/**
 * `A.<address>.<contract>.<name>` with one of the names that contracts of the old standards emit, or with one by which
 * contracts tell of items that they made or destroyed: `Minted`, `MomentDestroyed`, `NFT.ResourceDestroyed`.
 */
function kindByEnding(type: string): TokenEventKind | undefined {
  const [, , , ...name] = type.startsWith('A.') ? type.split('.') : []
  const [first] = name
  if (first === undefined) return undefined
  if (name.length === 1) {
    const kind = endings.find(([ending]) => type.endsWith(ending))?.[1]
    if (kind !== undefined) return kind
    if (/Mint(ed)?$/.test(first)) return 'own-minted'
    if (/(Burn(ed)?|Destroy(ed)?)$/.test(first)) return 'own-burned'
  }
  return name[1] === 'ResourceDestroyed' ? 'own-burned' : undefined
}
