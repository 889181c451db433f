import { coreContracts } from '../../src/chain/core-contracts.ts'
import { defiEventTypes } from '../../src/chain/defi/dexes.ts'
import type { DefiEventKind, DefiEventType } from '../../src/chain/defi/dexes.ts'
import { evmTransactionExecuted } from '../../src/chain/evm/evm-transaction-of.ts'
import type { Network } from '../../src/chain/network.ts'

/** What an event is to the numbers of parts of the chain. A swap says how it is to be read. */
export type AnalyticsMeaning = 'evm' | 'to-evm' | 'from-evm' | 'payout' | DefiEventType

const core: Readonly<Record<Network, ReadonlyMap<string, AnalyticsMeaning>>> = {
  mainnet: coreMeanings('mainnet'),
  testnet: coreMeanings('testnet'),
  emulator: coreMeanings('emulator'),
}

function coreMeanings(network: Network): ReadonlyMap<string, AnalyticsMeaning> {
  const { service, evmBridge, staking } = coreContracts(network)
  return new Map<string, AnalyticsMeaning>([
    [evmTransactionExecuted(network), 'evm'],
    [`A.${service}.EVM.FLOWTokensDeposited`, 'to-evm'],
    [`A.${evmBridge}.IFlowEVMTokenBridge.BridgedTokensToEVM`, 'to-evm'],
    [`A.${evmBridge}.IFlowEVMNFTBridge.BridgedNFTToEVM`, 'to-evm'],
    [`A.${service}.EVM.FLOWTokensWithdrawn`, 'from-evm'],
    [`A.${evmBridge}.IFlowEVMTokenBridge.BridgedTokensFromEVM`, 'from-evm'],
    [`A.${evmBridge}.IFlowEVMNFTBridge.BridgedNFTFromEVM`, 'from-evm'],
    [`A.${staking}.FlowIDTableStaking.EpochTotalRewardsPaid`, 'payout'],
  ])
}

const swaps: ReadonlySet<DefiEventKind> = new Set(['swap-by-direction', 'trade-by-side', 'pool-swap'])

/** By the type of an event alone; undefined for nearly all. */
export function analyticsMeaning(type: string, network: Network): AnalyticsMeaning | undefined {
  const meaning = core[network].get(type)
  if (meaning !== undefined) return meaning
  const defi = defiEventTypes(network)(type)
  return defi !== undefined && swaps.has(defi.kind) ? defi : undefined
}
