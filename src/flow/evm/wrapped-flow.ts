import type { Network } from '../network.ts'

/**
 * Contracts that wrap FLOW as an ERC-20 token in the manner of WETH9, by network: 40 hex digits each. They tell of what
 * is wrapped and unwrapped by `Deposit` and `Withdrawal` alone, without a `Transfer`. Of any other contract such logs
 * may mean anything.
 *
 * Source: onflow/docs, "Stablecoins and wrapped assets"; the contract has the same address on testnet.
 */
const wrappedFlow: Readonly<Record<Network, ReadonlySet<string>>> = {
  mainnet: new Set(['d3bf53dac106a0290b0483ecbc89d40fcc961f3e']),
  testnet: new Set(['d3bf53dac106a0290b0483ecbc89d40fcc961f3e']),
  emulator: new Set(),
}

/** Whether an EVM contract is one that wraps FLOW. */
export function isWrappedFlow(address: string, network: Network): boolean {
  return wrappedFlow[network].has(address)
}
