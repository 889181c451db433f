import { coreContracts } from '../../src/chain/core-contracts.ts'
import { evmTransactionExecuted } from '../../src/chain/evm/evm-transaction-of.ts'
import type { Network } from '../../src/chain/network.ts'

/** What an event is to the numbers of parts of the chain. */
export type AnalyticsMeaning = 'evm' | 'swap' | 'to-evm' | 'from-evm' | 'payout'

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

/** Pairs are deployed many times over, by whoever wants one, so they go by name: SwapPair, FlowSwapPair … */
const swap = /^A\.[0-9a-f]{16}\.[^.]*SwapPair\.(Swap|Trade)$/

/** Types repeat: one look into a table for each that was seen before. */
const maxKnownTypes = 20_000
const isSwap = new Map<string, boolean>()

/** By the type of an event alone; undefined for nearly all. */
export function analyticsMeaning(type: string, network: Network): AnalyticsMeaning | undefined {
  const meaning = core[network].get(type)
  if (meaning !== undefined) return meaning
  let known = isSwap.get(type)
  if (known === undefined) {
    if (isSwap.size >= maxKnownTypes) isSwap.clear()
    isSwap.set(type, (known = swap.test(type)))
  }
  return known ? 'swap' : undefined
}
