import { coreContracts } from '../core-contracts.ts'
import type { Network } from '../network.ts'

/**
 * Accounts of contracts that many applications use, beside those of the chain itself: HybridCustody and its filters and
 * factories; NFTStorefrontV2 of other deployments; IncrementFi's SwapFactory and SwapRouter; BloctoSwap's pairs;
 * StakingProxy. Source: the `flow.json` of onflow/nft-storefront and onflow/flow-core-contracts, the contracts' own pages.
 */
const moreAccounts: Readonly<Record<Network, readonly string[]>> = {
  mainnet: [
    'd8a7e05a7ac670c0',
    '3cdbb3d569211ff3',
    'b063c16cac85dbd1',
    'a6850776a94e6551',
    'c6c77b9f5c7a378f',
    '62430cf28c26d095',
  ],
  testnet: ['294e44e1ec6993c6', '94b06cfca1d8a476', '7aad92e5a0715d21'],
  emulator: [],
}

const known: Readonly<Record<Network, ReadonlySet<string>>> = {
  mainnet: accountsOf('mainnet'),
  testnet: accountsOf('testnet'),
  emulator: accountsOf('emulator'),
}

/** Whether contracts in this account (16 hex digits) are what their names say. */
export function isKnownAccount(address: string, network: Network): boolean {
  return known[network].has(address)
}

function accountsOf(network: Network): ReadonlySet<string> {
  return new Set([...Object.values(coreContracts(network)), ...moreAccounts[network]])
}
