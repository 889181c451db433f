import type { Account } from './account.ts'
import { collections } from './collections.ts'
import type { ContractCode } from './deployed-contracts.ts'
import { flow, systemAccounts, tokens } from './tokens.ts'

/** The contracts that are there before the first block, by the index of their account. Their code says no more than what they declare. */
export const genesisContracts: ReadonlyMap<number, readonly ContractCode[]> = byAccount([
  ...tokens.map(({ contract, name }): [Account, ContractCode] => [contract, tokenContract(name, contract === flow.contract)]),
  ...collections.map(({ contract, name }): [Account, ContractCode] => [contract, itemContract(name)]),
  [systemAccounts.flowFees, {
    name: 'FlowFees',
    code: Buffer.from(`access(all) contract FlowFees {
    access(all) event TokensDeposited(amount: UFix64)
    access(all) event TokensWithdrawn(amount: UFix64)
    access(all) event FeesDeducted(amount: UFix64, inclusionEffort: UFix64, executionEffort: UFix64)
}
`),
  }],
])

function tokenContract(name: string, isFlow: boolean): ContractCode {
  const own = isFlow ? 'amount: UFix64' : 'amount: UFix64, type: String'
  return {
    name,
    code: Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6

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

function itemContract(name: string): ContractCode {
  return {
    name,
    code: Buffer.from(`import NonFungibleToken from 0xf8d6e0586b0a20c7

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
