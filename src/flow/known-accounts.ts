import { coreContracts, feeReceivers } from './core-contracts.ts'
import type { CoreContracts } from './core-contracts.ts'
import type { Network } from './network.ts'

/** What an account is known as. */
export interface KnownAccount {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Lower case, digits, dashes; no account has one twice. */
  readonly tag: string
  readonly label: string
  readonly category: LabelCategory
}

export const labelCategories = ['whale', 'service', 'exchange', 'defi', 'nft', 'custom'] as const
export type LabelCategory = (typeof labelCategories)[number]

/** The accounts of the chain's own contracts. */
const core: Readonly<Record<keyof CoreContracts, readonly [tag: string, label: string, category: LabelCategory]>> = {
  service: ['service-account', 'Service Account', 'service'],
  fungibleToken: ['fungible-token', 'Fungible Token Standard', 'service'],
  nonFungibleToken: ['non-fungible-token', 'Non-Fungible Token Standard', 'service'],
  burner: ['burner', 'Burner', 'service'],
  flowToken: ['flow-token', 'Flow Token', 'service'],
  flowFees: ['flow-fees', 'Flow Fees', 'service'],
  staking: ['staking', 'Staking and Epochs', 'service'],
  lockedTokens: ['locked-tokens', 'Locked Tokens and Staking Collection', 'service'],
  evmBridge: ['evm-bridge', 'Flow EVM Bridge', 'service'],
  evmStorage: ['evm-storage', 'EVM Storage', 'service'],
  scheduledExecutor: ['scheduled-executor', 'Executor of Scheduled Transactions', 'service'],
  executionParameters: ['execution-parameters', 'Execution Parameters', 'service'],
  nftStorefront: ['nft-storefront', 'NFT Storefront', 'nft'],
}

type Listed = readonly [address: string, tag: string, label: string, category: LabelCategory]

/** Contracts that many others build on. */
const listed: Readonly<Record<Network, readonly Listed[]>> = {
  mainnet: [
    ['3cdbb3d569211ff3', 'nft-storefront', 'NFT Storefront', 'nft'],
    ['d8a7e05a7ac670c0', 'hybrid-custody', 'Hybrid Custody', 'service'],
    ['b063c16cac85dbd1', 'increment-swap-factory', 'IncrementFi Swap Factory', 'defi'],
    ['c6c77b9f5c7a378f', 'blocto-swap', 'BloctoSwap', 'defi'],
    ['473d6a2c37eab5be', 'lost-and-found', 'Lost and Found', 'service'],
  ],
  testnet: [['294e44e1ec6993c6', 'hybrid-custody', 'Hybrid Custody', 'service']],
  emulator: [],
}

/** Accounts that are known by themselves on a network; an account may have several labels. */
export function knownAccounts(network: Network): readonly KnownAccount[] {
  const contracts = coreContracts(network)
  const fees = feeReceivers(network).filter((address) => address !== contracts.flowFees)
  const all: readonly Listed[] = [
    ...Object.entries(core).map(([name, texts]): Listed => [contracts[name as keyof CoreContracts], ...texts]),
    ...fees.map((address): Listed => [address, 'fee-receiver', 'Receiver of Fees', 'service']),
    ...listed[network],
  ]
  return all.map(([address, tag, label, category]) => ({ address: `0x${address}`, tag, label, category }))
}
