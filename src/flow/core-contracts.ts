import type { Network } from './network.ts'

/** The accounts of the contracts that the chain itself stands on, as 16 hex digits without `0x`. */
const accounts = {
  fungibleToken: { mainnet: 'f233dcee88fe0abe', testnet: '9a0766d93b6608b7', emulator: 'ee82856bf20e2aa6' },
  burner: { mainnet: 'f233dcee88fe0abe', testnet: '9a0766d93b6608b7', emulator: 'f8d6e0586b0a20c7' },
  flowToken: { mainnet: '1654653399040a61', testnet: '7e60df042a9c0868', emulator: '0ae53cb6e3f42a79' },
  flowFees: { mainnet: 'f919ee77447b7497', testnet: '912d5440f7e3769e', emulator: 'e5a8b7f23e8b548f' },
  service: { mainnet: 'e467b9dd11fa00df', testnet: '8c5303eaa26202d6', emulator: 'f8d6e0586b0a20c7' },
  nonFungibleToken: { mainnet: '1d7e57aa55817448', testnet: '631e88ae7f1d7c20', emulator: 'f8d6e0586b0a20c7' },
  staking: { mainnet: '8624b52f9ddcd04a', testnet: '9eca2b38b18b5dfe', emulator: 'f8d6e0586b0a20c7' },
  lockedTokens: { mainnet: '8d0e87b65159ae63', testnet: '95e019a17d0e23d7', emulator: 'f8d6e0586b0a20c7' },
  evmBridge: { mainnet: '1e4aa0b87d10b141', testnet: 'dfc20aee650fcbdf', emulator: 'f8d6e0586b0a20c7' },
  evmStorage: { mainnet: 'd421a63faae318f9', testnet: '1a54ed2be7552821', emulator: '01cf0e2f2f715450' },
  scheduledExecutor: { mainnet: '45df3724e7c13957', testnet: '9275945e651650bd', emulator: '01cf0e2f2f715450' },
  executionParameters: { mainnet: 'f426ff57ee8f6110', testnet: '6997a2f2cf57b73a', emulator: 'ee82856bf20e2aa6' },
  nftStorefront: { mainnet: '4eb8a10cb9f87357', testnet: '2d55b98eb200daef', emulator: 'f8d6e0586b0a20c7' },
} as const satisfies Record<string, Record<Network, string>>

/**
 * Where the core contracts of a network are:
 * - `fungibleToken`: FungibleToken, FungibleTokenMetadataViews, FungibleTokenSwitchboard
 * - `service`: FlowServiceAccount, FlowStorageFees, NodeVersionBeacon, RandomBeaconHistory, EVM,
 *   FlowTransactionScheduler, Crypto, Migration
 * - `nonFungibleToken`: NonFungibleToken, MetadataViews, ViewResolver, CrossVMMetadataViews
 * - `staking`: FlowIDTableStaking, FlowEpoch, FlowClusterQC, FlowDKG
 * - `lockedTokens`: LockedTokens, FlowStakingCollection, StakingProxy
 * - the others: the contract of that name, or the account itself
 *
 * Source: onflow/flow-go `fvm/systemcontracts/system_contracts.go`, onflow/flow-core-contracts.
 */
export type CoreContracts = Readonly<Record<keyof typeof accounts, string>>

const byNetwork: Readonly<Record<Network, CoreContracts>> = {
  mainnet: pick('mainnet'),
  testnet: pick('testnet'),
  emulator: pick('emulator'),
}

/** The core contract accounts of a network, as 16 hex digits without `0x`: the form in which event types name them. */
export function coreContracts(network: Network): CoreContracts {
  return byNetwork[network]
}

/** Accounts that receive transaction fees beside `flowFees`. Source: FlowFees.ChildFeeAccountsChanged on testnet. */
const moreFeeReceivers: Readonly<Record<Network, readonly string[]>> = {
  mainnet: [],
  testnet: ['e1ac6b2740d204c2', '05cbd2fa5128041d', '139fb7c9c82c0e7c'],
  emulator: [],
}

/**
 * Every account known to receive transaction fees on a network, as 16 hex digits. Networks add to these by themselves:
 * the event `FlowFees.ChildFeeAccountsChanged` names the new list.
 */
export function feeReceivers(network: Network): readonly string[] {
  return [byNetwork[network].flowFees, ...moreFeeReceivers[network]]
}

function pick(network: Network): CoreContracts {
  const out: Record<string, string> = {}
  for (const [name, addresses] of Object.entries(accounts)) out[name] = addresses[network]
  return out as CoreContracts
}

/** Contracts of the chain itself by name, with the account that they are in. */
const accountByName: Readonly<Record<string, keyof CoreContracts>> = {
  FungibleToken: 'fungibleToken',
  FungibleTokenMetadataViews: 'fungibleToken',
  FungibleTokenSwitchboard: 'fungibleToken',
  Burner: 'burner',
  FlowToken: 'flowToken',
  FlowFees: 'flowFees',
  FlowServiceAccount: 'service',
  FlowStorageFees: 'service',
  NodeVersionBeacon: 'service',
  RandomBeaconHistory: 'service',
  EVM: 'service',
  FlowTransactionScheduler: 'service',
  Crypto: 'service',
  Migration: 'service',
  NonFungibleToken: 'nonFungibleToken',
  MetadataViews: 'nonFungibleToken',
  ViewResolver: 'nonFungibleToken',
  CrossVMMetadataViews: 'nonFungibleToken',
  FlowIDTableStaking: 'staking',
  FlowEpoch: 'staking',
  FlowClusterQC: 'staking',
  FlowDKG: 'staking',
  LockedTokens: 'lockedTokens',
  FlowStakingCollection: 'lockedTokens',
  StakingProxy: 'lockedTokens',
  FlowEVMBridge: 'evmBridge',
  FlowEVMBridgeConfig: 'evmBridge',
  NFTStorefrontV2: 'nftStorefront',
}

/** The account of a core contract by its name, as 16 hex digits; undefined for other names. */
export function coreContractAddress(name: string, network: Network): string | undefined {
  const account = Object.hasOwn(accountByName, name) ? accountByName[name] : undefined
  return account === undefined ? undefined : byNetwork[network][account]
}

/** Names that belong to the chain's own contracts: one of these in another account is somebody else's. */
export const coreContractNames: ReadonlySet<string> = new Set(Object.keys(accountByName))
