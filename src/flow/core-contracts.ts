import type { Network } from './network.ts'

/** 16 hex digits without `0x`. */
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
 * Accounts of the core contracts of a network:
 *
 * - `fungibleToken`: FungibleToken, FungibleTokenMetadataViews, FungibleTokenSwitchboard
 *
 * - `service`: FlowServiceAccount, FlowStorageFees, NodeVersionBeacon, RandomBeaconHistory, EVM,
 * FlowTransactionScheduler, Crypto, Migration
 *
 * - `nonFungibleToken`: NonFungibleToken, MetadataViews, ViewResolver, CrossVMMetadataViews
 *
 * - `staking`: FlowIDTableStaking, FlowEpoch, FlowClusterQC, FlowDKG
 *
 * - `lockedTokens`: LockedTokens, FlowStakingCollection, StakingProxy
 *
 * - others: the contract of that name, or the account itself
 *
 * Source: onflow/flow-go `fvm/systemcontracts/system_contracts.go`, onflow/flow-core-contracts.
 */
export type CoreContracts = Readonly<Record<keyof typeof accounts, string>>

const byNetwork: Readonly<Record<Network, CoreContracts>> = {
  mainnet: pick('mainnet'),
  testnet: pick('testnet'),
  emulator: pick('emulator'),
}

/** 16 hex digits without `0x`, as in event types. */
export function coreContracts(network: Network): CoreContracts {
  return byNetwork[network]
}

/** Source: FlowFees.ChildFeeAccountsChanged on testnet. */
const moreFeeReceivers: Readonly<Record<Network, readonly string[]>> = {
  mainnet: [],
  testnet: ['e1ac6b2740d204c2', '05cbd2fa5128041d', '139fb7c9c82c0e7c'],
  emulator: [],
}

/** 16 hex digits. Networks can add others (event `FlowFees.ChildFeeAccountsChanged`). */
export function feeReceivers(network: Network): readonly string[] {
  return [byNetwork[network].flowFees, ...moreFeeReceivers[network]]
}

function pick(network: Network): CoreContracts {
  const out: Record<string, string> = {}
  for (const [name, addresses] of Object.entries(accounts)) out[name] = addresses[network]
  return out as CoreContracts
}

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

/** 16 hex digits, or undefined. */
export function coreContractAddress(name: string, network: Network): string | undefined {
  const account = Object.hasOwn(accountByName, name) ? accountByName[name] : undefined
  return account === undefined ? undefined : byNetwork[network][account]
}

/** By name, with 0x. */
export function coreContractAddresses(network: Network): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(accountByName).map(([name, account]) => [name, `0x${byNetwork[network][account]}`]),
  )
}

/** In other accounts these names are not core contracts. */
export const coreContractNames: ReadonlySet<string> = new Set(Object.keys(accountByName))

/**
 * Replaces `0x{FlowToken}`, `A.{FlowToken}`, lines `import "FlowToken"`, which access nodes require
 * with an address, and `{network}`.
 */
export function inNetwork(text: string, network: Network): string {
  return text
    .replaceAll(/^([ \t]*)import "(\w+)"$/gm, (line, indent: string, name: string) => {
      const address = coreContractAddress(name, network)
      return address === undefined ? line : `${indent}import ${name} from 0x${address}`
    })
    .replaceAll(/(0x|\bA\.)\{(\w+)\}/g, (whole, before: string, name: string) => {
      const address = coreContractAddress(name, network)
      return address === undefined ? whole : `${before}${address}`
    })
    .replaceAll('{network}', network === 'emulator' ? 'this chain, which has the addresses of the emulator' : network)
}

/**
 * Events to the protocol: epochs, node versions, protocol state version. Source: onflow/flow-go
 * `fvm/systemcontracts/system_contracts.go`, `model/convert/service_event.go`.
 */
export function serviceEventTypes(network: Network): readonly string[] {
  const { staking, service } = coreContracts(network)
  return [
    `A.${staking}.FlowEpoch.EpochSetup`,
    `A.${staking}.FlowEpoch.EpochCommit`,
    `A.${staking}.FlowEpoch.EpochRecover`,
    `A.${service}.NodeVersionBeacon.VersionBeacon`,
    `A.${service}.NodeVersionBeacon.ProtocolStateVersionUpgrade`,
  ]
}

export interface KnownAccount {
  readonly address: string
  /** Lower case, digits, dashes; unique per account. */
  readonly tag: string
  readonly label: string
  readonly category: LabelCategory
}

export const labelCategories = ['whale', 'service', 'exchange', 'defi', 'nft', 'custom'] as const
export type LabelCategory = (typeof labelCategories)[number]

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

/** An account can have several. */
export function knownAccounts(network: Network): readonly KnownAccount[] {
  const contracts = coreContracts(network)
  const fees = feeReceivers(network).filter((address) => address !== contracts.flowFees)
  const all: readonly Listed[] = [
    ...Object.entries(core).map(([name, texts]): Listed => [contracts[name as keyof CoreContracts], ...texts]),
    ...fees.map((address): Listed => [address, 'fee-receiver', 'Fee Receiver', 'service']),
    ...listed[network],
  ]
  return all.map(([address, tag, label, category]) => ({ address: `0x${address}`, tag, label, category }))
}
