import type { ContractAddresses } from './transaction-scripts.ts'

/**
 * Token and NFT contracts name their own paths. A hostile one can name those of another asset, so
 * each script compares the type of the moved item, and none replaces a stored or published item.
 */

const vaultData = `let data = getAccount(contractAddress).contracts.borrow<&{FungibleToken}>(name: contractName)
            ?.resolveContractView(
                resourceType: nil,
                viewType: Type<FungibleTokenMetadataViews.FTVaultData>()
            ) as! FungibleTokenMetadataViews.FTVaultData??`

const collectionData = `let data = getAccount(contractAddress).contracts.borrow<&{NonFungibleToken}>(name: contractName)
            ?.resolveContractView(
                resourceType: CompositeType(type),
                viewType: Type<MetadataViews.NFTCollectionData>()
            ) as! MetadataViews.NFTCollectionData??`

const known = (what: string): string => `(data ?? panic("The ${what} does not exist"))
            ?? panic("The ${what} does not publish where its accounts store it")`

const tokenImports = ({ fungibleToken }: ContractAddresses): string => `import FungibleToken from 0x${fungibleToken}
import FungibleTokenMetadataViews from 0x${fungibleToken}
`

const nftImports = ({ nonFungibleToken }: ContractAddresses): string =>
  `import NonFungibleToken from 0x${nonFungibleToken}
import MetadataViews from 0x${nonFungibleToken}
`

const evmImports = ({ fungibleToken, flowToken, evm }: ContractAddresses): string =>
  `import FungibleToken from 0x${fungibleToken}
import FlowToken from 0x${flowToken}
import EVM from 0x${evm}
`

const flowVault = `signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")`

export const assetScripts = {
  'send-token': (contracts: ContractAddresses) => `${tokenImports(contracts)}
transaction(type: String, contractAddress: Address, contractName: String, amount: UFix64, to: Address) {
    let sent: @{FungibleToken.Vault}
    let receiverPath: PublicPath

    prepare(signer: auth(BorrowValue) &Account) {
        ${vaultData}
        let paths = ${known('token')}
        let vault = signer.storage
            .borrow<auth(FungibleToken.Withdraw) &{FungibleToken.Provider}>(from: paths.storagePath)
            ?? panic("The signer does not hold this token")
        self.sent <- vault.withdraw(amount: amount)
        assert(self.sent.getType().identifier == type, message: "The contract names the vault of another token")
        self.receiverPath = paths.receiverPath
    }

    execute {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(self.receiverPath)
            ?? panic("The recipient cannot receive this token")
        receiver.deposit(from: <-self.sent)
    }
}
`,
  'send-nft': (contracts: ContractAddresses) => `${nftImports(contracts)}
transaction(type: String, contractAddress: Address, contractName: String, id: UInt64, to: Address) {
    let sent: @{NonFungibleToken.NFT}
    let publicPath: PublicPath

    prepare(signer: auth(BorrowValue) &Account) {
        ${collectionData}
        let paths = ${known('collection')}
        let owned = signer.storage.borrow<auth(NonFungibleToken.Withdraw) &{NonFungibleToken.Provider}>(
            from: paths.storagePath
        ) ?? panic("The signer has no such collection")
        self.sent <- owned.withdraw(withdrawID: id)
        assert(self.sent.getType().identifier == type, message: "The contract names the collection of another NFT")
        assert(self.sent.id == id, message: "The contract gave another NFT")
        self.publicPath = paths.publicPath
    }

    execute {
        let receiver = getAccount(to).capabilities.borrow<&{NonFungibleToken.Receiver}>(self.publicPath)
            ?? panic("The recipient cannot receive this NFT")
        receiver.deposit(token: <-self.sent)
    }
}
`,
  'enable-token': (contracts: ContractAddresses) => `${tokenImports(contracts)}
transaction(type: String, contractAddress: Address, contractName: String) {
    prepare(signer: auth(SaveValue, IssueStorageCapabilityController, PublishCapability) &Account) {
        ${vaultData}
        let paths = ${known('token')}
        assert(
            signer.storage.type(at: paths.storagePath) == nil,
            message: "The account has this token, or its place is taken"
        )
        let vault <- paths.createEmptyVault()
        assert(vault.getType().identifier == type, message: "The contract makes vaults of another token")
        signer.storage.save(<-vault, to: paths.storagePath)
        let capability = signer.capabilities.storage.issue<&{FungibleToken.Vault}>(paths.storagePath)
        signer.capabilities.publish(capability, at: paths.receiverPath)
        if paths.metadataPath != paths.receiverPath {
            signer.capabilities.publish(capability, at: paths.metadataPath)
        }
    }
}
`,
  'enable-collection': (contracts: ContractAddresses) => `${nftImports(contracts)}
transaction(type: String, contractAddress: Address, contractName: String) {
    prepare(signer: auth(SaveValue, IssueStorageCapabilityController, PublishCapability) &Account) {
        ${collectionData}
        let paths = ${known('collection')}
        assert(
            signer.storage.type(at: paths.storagePath) == nil,
            message: "The account has this collection, or its place is taken"
        )
        signer.storage.save(<-paths.createEmptyCollection(), to: paths.storagePath)
        let capability = signer.capabilities.storage.issue<&{NonFungibleToken.Collection}>(paths.storagePath)
        signer.capabilities.publish(capability, at: paths.publicPath)
    }
}
`,
  // https://developers.flow.com/build/evm/accounts
  'create-evm-account': (contracts: ContractAddresses) => `import EVM from 0x${contracts.evm}

transaction {
    prepare(signer: auth(SaveValue, IssueStorageCapabilityController, PublishCapability) &Account) {
        assert(signer.storage.type(at: /storage/evm) == nil, message: "The account has an EVM account")
        signer.storage.save(<-EVM.createCadenceOwnedAccount(), to: /storage/evm)
        let capability = signer.capabilities.storage.issue<&EVM.CadenceOwnedAccount>(/storage/evm)
        signer.capabilities.publish(capability, at: /public/evm)
    }
}
`,
  'fund-evm-account': (contracts: ContractAddresses) => `${evmImports(contracts)}
transaction(amount: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let owned = signer.storage.borrow<&EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer has no EVM account")
        let vault = ${flowVault}
        owned.deposit(from: <-(vault.withdraw(amount: amount) as! @FlowToken.Vault))
    }
}
`,
  'withdraw-evm-account': (contracts: ContractAddresses) => `${evmImports(contracts)}
transaction(amount: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let owned = signer.storage.borrow<auth(EVM.Withdraw) &EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer has no EVM account")
        let vault = signer.storage.borrow<&FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        let balance = EVM.Balance(attoflow: 0)
        balance.setFLOW(flow: amount)
        vault.deposit(from: <-owned.withdraw(balance: balance))
    }
}
`,
  'send-flow-to-evm': (contracts: ContractAddresses) => `${evmImports(contracts)}
transaction(amount: UFix64, to: String) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = ${flowVault}
        EVM.addressFromString(to).deposit(from: <-(vault.withdraw(amount: amount) as! @FlowToken.Vault))
    }
}
`,
  // Checks decimals, which the preview shows. Tokens may return nothing.
  'send-erc20': (contracts: ContractAddresses) => `import EVM from 0x${contracts.evm}

transaction(token: String, decimals: UInt8, amount: UInt256, to: String) {
    prepare(signer: auth(BorrowValue) &Account) {
        let owned = signer.storage.borrow<auth(EVM.Call) &EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer has no EVM account")
        let tokenAddress = EVM.addressFromString(token)
        let read = owned.dryCall(
            to: tokenAddress,
            data: EVM.encodeABIWithSignature("decimals()", []),
            gasLimit: 100_000,
            value: EVM.Balance(attoflow: 0)
        )
        assert(
            read.status == EVM.Status.successful && read.data.length == 32,
            message: "This contract is not an ERC-20 token with decimals"
        )
        assert(
            EVM.decodeABI(types: [Type<UInt256>()], data: read.data)[0] as! UInt256 == UInt256(decimals),
            message: "The token has other decimals"
        )
        let sent = owned.call(
            to: tokenAddress,
            data: EVM.encodeABIWithSignature("transfer(address,uint256)", [EVM.addressFromString(to), amount]),
            gasLimit: 1_000_000,
            value: EVM.Balance(attoflow: 0)
        )
        assert(
            sent.status == EVM.Status.successful,
            message: "The token refuses the transfer: ".concat(sent.errorMessage)
        )
        assert(
            sent.data.length == 0
                || EVM.decodeABI(types: [Type<UInt256>()], data: sent.data)[0] as! UInt256 == 1,
            message: "The token refuses the transfer"
        )
    }
}
`,
} as const
