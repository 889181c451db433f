import { alarmContract } from '../scheduled/alarm.ts'
import { pairs } from '../swaps/pairs.ts'
import type { Account } from './account.ts'
import { collections } from './collections.ts'
import { coreContracts } from './core-contracts.ts'
import type { ContractCode } from './deployed-contracts.ts'
import { flow, systemAccounts, tokens } from './tokens.ts'
import type { Token } from './tokens.ts'

/** The contracts that are there before the first block, by the index of their account. Their code says no more than what they declare. */
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
    access(all) event TokensBurned(${own})
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
