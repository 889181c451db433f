import { coreContracts } from '../core-contracts.ts'
import { cachedByType } from '../event-type-cache.ts'
import type { Network } from '../network.ts'

/**
 * `ft-` and `nft-`: standard events since Cadence 1.0. `old-`: events of the contracts themselves.
 * `own-minted`, `own-burned`: contract events with arbitrary fields that explain moves;
 * `tokens-burned` also has the amount. `staking-`: FlowIDTableStaking events that explain FLOW
 * moves of its account.
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

/** `staking-node`: its first stake can come without a deposit. */
export type StakingEventKind =
  | 'staking-staked'
  | 'staking-node'
  | 'staking-unstaked'
  | 'staking-reward-withdrawn'
  | 'staking-reward-paid'

export type TokenEventKinds = (type: string) => TokenEventKind | undefined

const endings: ReadonlyArray<readonly [ending: string, kind: TokenEventKind]> = [
  ['.TokensWithdrawn', 'old-ft-withdrawn'],
  ['.TokensDeposited', 'old-ft-deposited'],
  ['.TokensBurned', 'tokens-burned'],
  ['.Withdraw', 'old-nft-withdrawn'],
  ['.Deposit', 'old-nft-deposited'],
]

/** Each also exists as `Delegator…`. */
const stakingEvents: ReadonlyArray<readonly [name: string, kind: StakingEventKind]> = [
  ['TokensCommitted', 'staking-staked'],
  ['TokensStaked', 'staking-staked'],
  ['TokensUnstaking', 'staking-unstaked'],
  ['TokensUnstaked', 'staking-unstaked'],
  ['UnstakedTokensWithdrawn', 'staking-unstaked'],
  ['RewardTokensWithdrawn', 'staking-reward-withdrawn'],
  ['RewardsPaid', 'staking-reward-paid'],
]

/** Cached by type. */
export const tokenEventKinds: (network: Network) => TokenEventKinds = cachedByType((network) => {
  const standard = standardEvents(network)
  return (type) => standard.get(type) ?? kindByEnding(type)
})

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

/** Also contract-specific mints and burns: `Minted`, `MomentDestroyed`, `NFT.ResourceDestroyed`. */
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
