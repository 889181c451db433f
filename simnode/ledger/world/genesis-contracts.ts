import { accountAt } from './account.ts'
import type { Account } from './account.ts'
import { importLines } from './deployed-contracts.ts'
import type { ContractCode, Import } from './deployed-contracts.ts'
import { systemAccounts, pairs, flow, tokens } from './tokens.ts'
import { collections } from './collections.ts'
import type { Token } from './tokens.ts'

export const alarmContract: Account = accountAt(34)

export const alarmKeeper: Account = accountAt(35)

/** In units of 10^-8 FLOW. */
export const keeperInitialBalance = 1_000_000_00000000n

export const alarmJob = {
  type: `A.${alarmContract.hex}.Alarm.Job`,
  uuid: 2 ** 49 + alarmKeeper.index,
  storagePath: '/storage/AlarmJob',
  publicPath: '/public/AlarmJob',
} as const

export const executionEffort = 500

const { service, fungibleToken, flowToken, flowFees } = systemAccounts
const imported = {
  FungibleToken: { name: 'FungibleToken', account: fungibleToken },
  FlowToken: { name: 'FlowToken', account: flowToken },
  FlowFees: { name: 'FlowFees', account: flowFees },
  NonFungibleToken: { name: 'NonFungibleToken', account: service },
  ViewResolver: { name: 'ViewResolver', account: service },
  Burner: { name: 'Burner', account: service },
  FlowIDTableStaking: { name: 'FlowIDTableStaking', account: service },
  FlowTransactionScheduler: { name: 'FlowTransactionScheduler', account: service },
} as const satisfies Readonly<Record<string, Import>>

const moved = 'type: String, amount: UFix64'
const ended = 'listingResourceID: UInt64, storefrontResourceID: UInt64, purchased: Bool'
const listed =
  'nftType: Type, nftUUID: UInt64, nftID: UInt64, salePaymentVaultType: Type, salePrice: UFix64, ' +
  'customID: String?, commissionAmount: UFix64'
const handler = 'transactionHandlerOwner: Address, transactionHandlerTypeIdentifier: String'
const handled = `${handler}, transactionHandlerUUID: UInt64, transactionHandlerPublicPath: PublicPath?`
const flowEvents = `
    access(all) event TokensWithdrawn(amount: UFix64, from: Address?)
    access(all) event TokensDeposited(amount: UFix64, to: Address?)`
const ofNode = 'nodeID: String, amount: UFix64'

/** Except FLOW's. The code has only public interfaces. */
export const coreContracts: ReadonlyArray<readonly [Account, ContractCode]> = [
  core(
    service,
    'Burner',
    'contract',
    [],
    `access(all) resource interface Burnable {
        access(contract) fun burnCallback()
    }

    access(all) fun burn(_ toBurn: @AnyResource?)`,
  ),
  core(
    service,
    'ViewResolver',
    'contract interface',
    [],
    `access(all) resource interface Resolver {
        access(all) view fun getViews(): [Type]
        access(all) fun resolveView(_ view: Type): AnyStruct?
    }`,
  ),
  core(
    service,
    'MetadataViews',
    'contract',
    [imported.FungibleToken, imported.NonFungibleToken, imported.ViewResolver],
    `access(all) struct Display {
        access(all) let name: String
        access(all) let description: String
        access(all) let thumbnail: AnyStruct
    }`,
  ),
  core(
    fungibleToken,
    'FungibleToken',
    'contract interface',
    [imported.ViewResolver, imported.Burner],
    `access(all) entitlement Withdraw
    access(all) event Withdrawn(${moved}, from: Address?, fromUUID: UInt64, withdrawnUUID: UInt64, balanceAfter: UFix64)
    access(all) event Deposited(${moved}, to: Address?, toUUID: UInt64, depositedUUID: UInt64, balanceAfter: UFix64)
    access(all) event Burned(type: String, amount: UFix64, fromUUID: UInt64)

    access(all) resource interface Vault: ViewResolver.Resolver, Burner.Burnable {
        access(all) var balance: UFix64
        access(Withdraw) fun withdraw(amount: UFix64): @{Vault}
        access(all) fun deposit(from: @{Vault})
    }`,
  ),
  core(
    service,
    'NonFungibleToken',
    'contract interface',
    [imported.ViewResolver],
    `access(all) entitlement Withdraw
    access(all) event Withdrawn(type: String, id: UInt64, uuid: UInt64, from: Address?, providerUUID: UInt64)
    access(all) event Deposited(type: String, id: UInt64, uuid: UInt64, to: Address?, collectionUUID: UInt64)

    access(all) resource interface NFT: ViewResolver.Resolver {
        access(all) let id: UInt64
    }

    access(all) resource interface Collection {
        access(all) var ownedNFTs: @{UInt64: {NonFungibleToken.NFT}}
        access(Withdraw) fun withdraw(withdrawID: UInt64): @{NFT}
        access(all) fun deposit(token: @{NFT})
    }`,
  ),
  core(
    flowFees,
    'FlowFees',
    'contract',
    [imported.FungibleToken, imported.FlowToken],
    `access(all) event TokensDeposited(amount: UFix64)
    access(all) event TokensWithdrawn(amount: UFix64)
    access(all) event FeesDeducted(amount: UFix64, inclusionEffort: UFix64, executionEffort: UFix64)`,
  ),
  core(
    service,
    'NFTStorefrontV2',
    'contract',
    [imported.FungibleToken, imported.NonFungibleToken, imported.Burner],
    `access(all) entitlement CreateListing
    access(all) entitlement RemoveListing

    access(all) event ListingAvailable(
        storefrontAddress: Address, listingResourceID: UInt64, ${listed},
        commissionReceivers: [Address]?, expiry: UInt64
    )
    access(all) event ListingCompleted(${ended}, ${listed}, commissionReceiver: Address?, expiry: UInt64)

    access(all) resource Listing {
        access(all) event ResourceDestroyed(
            listingResourceID: UInt64 = self.uuid, storefrontResourceID: UInt64 = self.details.storefrontID,
            purchased: Bool = self.details.purchased, nftType: String = self.details.nftType.identifier,
            nftUUID: UInt64 = self.details.nftUUID, nftID: UInt64 = self.details.nftID,
            salePaymentVaultType: String = self.details.salePaymentVaultType.identifier,
            salePrice: UFix64 = self.details.salePrice, customID: String? = self.details.customID,
            commissionAmount: UFix64 = self.details.commissionAmount, commissionReceiver: Address? = nil,
            expiry: UInt64 = self.details.expiry
        )
    }

    access(all) resource Storefront {
        access(all) view fun getListingIDs(): [UInt64]
    }`,
  ),
  core(
    service,
    'FlowIDTableStaking',
    'contract',
    [imported.FungibleToken, imported.FlowToken, imported.FlowFees],
    `access(all) entitlement NodeOperator
    access(all) event NewNodeCreated(nodeID: String, role: UInt8, amountCommitted: UFix64)
    access(all) event NewDelegatorCreated(nodeID: String, delegatorID: UInt32)
    access(all) event TokensCommitted(${ofNode})
    access(all) event TokensStaked(${ofNode})
    access(all) event TokensUnstaking(${ofNode})
    access(all) event TokensUnstaked(${ofNode})
    access(all) event NodeTokensRequestedToUnstake(${ofNode})
    access(all) event UnstakedTokensWithdrawn(${ofNode})
    access(all) event RewardTokensWithdrawn(${ofNode})
    access(all) event RewardsPaid(${ofNode}, epochCounter: UInt64)
    access(all) event DelegatorTokensCommitted(nodeID: String, delegatorID: UInt32, amount: UFix64)
    access(all) event DelegatorTokensStaked(nodeID: String, delegatorID: UInt32, amount: UFix64)`,
  ),
  core(
    service,
    'FlowEpoch',
    'contract',
    [imported.FlowToken, imported.FlowIDTableStaking],
    `access(all) event NewEpoch(totalStaked: UFix64, totalRewards: UFix64, counter: UInt64)
    access(all) var currentEpochCounter: UInt64`,
  ),
  core(
    service,
    'FlowTransactionScheduler',
    'contract',
    [imported.FungibleToken, imported.FlowToken, imported.FlowFees],
    `access(all) entitlement Execute

    access(all) event Scheduled(
        id: UInt64, priority: UInt8, timestamp: UFix64, executionEffort: UInt64, fees: UFix64, ${handled}
    )
    access(all) event PendingExecution(id: UInt64, priority: UInt8, executionEffort: UInt64, fees: UFix64, ${handler})
    access(all) event Executed(id: UInt64, priority: UInt8, executionEffort: UInt64, ${handled})
    access(all) event Canceled(id: UInt64, priority: UInt8, feesReturned: UFix64, feesDeducted: UFix64, ${handler})

    access(all) resource ScheduledTransaction {
        access(all) event ResourceDestroyed(
            id: UInt64 = self.id, timestamp: UFix64 = self.timestamp,
            handlerTypeIdentifier: String = self.handlerTypeIdentifier
        )
    }

    access(all) resource interface TransactionHandler {
        access(Execute) fun executeTransaction(id: UInt64, data: AnyStruct?)
    }`,
  ),
  core(
    service,
    'FlowTransactionSchedulerUtils',
    'contract',
    [imported.FlowToken, imported.FlowTransactionScheduler],
    `access(all) entitlement Owner

    access(all) resource interface Manager {
        access(Owner) fun cancel(id: UInt64): @FlowToken.Vault
    }`,
  ),
  core(
    service,
    'EVM',
    'contract',
    [imported.NonFungibleToken, imported.FungibleToken, imported.FlowToken],
    `access(all) entitlement Call

    access(all) event TransactionExecuted(
        hash: [UInt8; 32], index: UInt16, type: UInt8, payload: [UInt8], errorCode: UInt16, errorMessage: String,
        gasConsumed: UInt64, contractAddress: String, logs: [UInt8], blockHeight: UInt64, returnedData: [UInt8],
        precompiledCalls: [UInt8], stateUpdateChecksum: [UInt8; 4]
    )
    access(all) event BlockExecuted(
        height: UInt64, hash: [UInt8; 32], timestamp: UInt64, totalSupply: Int, totalGasUsed: UInt64,
        parentHash: [UInt8; 32], receiptRoot: [UInt8; 32], transactionHashRoot: [UInt8; 32], prevrandao: [UInt8; 32]
    )
    access(all) event CadenceOwnedAccountCreated(address: String, uuid: UInt64)
    access(all) event FLOWTokensDeposited(
        address: String, amount: UFix64, depositedUUID: UInt64, balanceAfterInAttoFlow: UInt
    )
    access(all) event FLOWTokensWithdrawn(
        address: String, amount: UFix64, withdrawnUUID: UInt64, balanceAfterInAttoFlow: UInt
    )

    access(all) resource CadenceOwnedAccount {
        access(all) var addressBytes: [UInt8; 20]
        access(Call) fun call(to: EVMAddress, data: [UInt8], gasLimit: UInt64, value: Balance): Result
    }`,
  ),
]

function core(
  account: Account,
  name: string,
  kind: string,
  imports: readonly Import[],
  body: string,
): readonly [Account, ContractCode] {
  return [
    account,
    { name, code: Buffer.from(`${importLines(imports)}access(all) ${kind} ${name} {\n    ${body}\n}\n`) },
  ]
}

/** By account index. Their code has only declarations. */
export const genesisContracts: ReadonlyMap<number, readonly ContractCode[]> = byAccount([
  ...coreContracts,
  ...tokens.map(({ contract, name }): [Account, ContractCode] => [
    contract,
    tokenContract(name, contract === flow.contract),
  ]),
  ...collections.map(({ contract, name }): [Account, ContractCode] => [contract, itemContract(name)]),
  ...pairs.map(({ contract, token0, token1 }): [Account, ContractCode] => [contract, pairContract(token0, token1)]),
  [alarmContract, { name: 'Alarm', code: Buffer.from(alarmCode()) }],
])

function tokenContract(name: string, isFlow: boolean): ContractCode {
  const own = isFlow ? 'amount: UFix64' : 'amount: UFix64, type: String'
  return {
    name,
    code: Buffer.from(`import FungibleToken from 0x${systemAccounts.fungibleToken.hex}

access(all) contract ${name}: FungibleToken {
    access(all) event TokensMinted(${own})
    access(all) event TokensBurned(${own})${isFlow ? flowEvents : ''}
    access(all) var totalSupply: UFix64

    access(all) resource Vault: FungibleToken.Vault {
        access(all) var balance: UFix64
    }
}
`),
  }
}

function pairContract(token0: Token, token1: Token): ContractCode {
  return {
    name: 'SwapPair',
    code: Buffer.from(`import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
import ${token0.name} from 0x${token0.contract.hex}
import ${token1.name} from 0x${token1.contract.hex}

access(all) contract SwapPair {
    access(all) event Swap(inTokenAmount: UFix64, outTokenAmount: UFix64, direction: UInt8)

    access(self) let token0Vault: @{FungibleToken.Vault}
    access(self) let token1Vault: @{FungibleToken.Vault}
}
`),
  }
}

function alarmCode(): string {
  return `import FlowTransactionScheduler from 0x${systemAccounts.service.hex}

access(all) contract Alarm {
    access(all) event Ran(id: UInt64, data: String)

    access(all) resource Job: FlowTransactionScheduler.TransactionHandler {
        access(FlowTransactionScheduler.Execute) fun executeTransaction(id: UInt64, data: AnyStruct?) {
            emit Ran(id: id, data: data as! String)
        }
    }
}
`
}

function itemContract(name: string): ContractCode {
  return {
    name,
    code: Buffer.from(`import NonFungibleToken from 0x${systemAccounts.service.hex}
import MetadataViews from 0x${systemAccounts.service.hex}

access(all) contract ${name}: NonFungibleToken {
    access(all) event Minted(id: UInt64, uuid: UInt64, name: String, traits: {String: String})

    access(all) resource NFT: NonFungibleToken.NFT {
        access(all) let id: UInt64
        access(all) let name: String
    }

    access(all) resource Collection: NonFungibleToken.Collection {
        access(all) var ownedNFTs: @{UInt64: {NonFungibleToken.NFT}}
    }
}
`),
  }
}

function byAccount(contracts: ReadonlyArray<readonly [Account, ContractCode]>): Map<number, ContractCode[]> {
  const found = new Map<number, ContractCode[]>()
  for (const [{ index }, contract] of contracts) found.set(index, [...(found.get(index) ?? []), contract])
  return found
}
