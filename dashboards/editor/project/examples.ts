export interface Example {
  readonly name: string
  readonly title: string
  /** Subject of the example. */
  readonly summary: string
  readonly files: readonly { readonly path: string; readonly code: string }[]
}

const token = `import "FungibleToken"

/// A fungible token. Its account receives the whole supply when the contract is deployed.
access(all) contract ExampleToken: FungibleToken {

    access(all) let vaultPath: StoragePath
    access(all) let receiverPath: PublicPath
    access(all) var totalSupply: UFix64

    access(all) resource Vault: FungibleToken.Vault {

        access(all) var balance: UFix64

        init(balance: UFix64) {
            self.balance = balance
        }

        access(all) view fun getSupportedVaultTypes(): {Type: Bool} {
            return {self.getType(): true}
        }

        access(all) view fun isSupportedVaultType(type: Type): Bool {
            return type == self.getType()
        }

        access(all) view fun isAvailableToWithdraw(amount: UFix64): Bool {
            return amount <= self.balance
        }

        access(FungibleToken.Withdraw) fun withdraw(amount: UFix64): @ExampleToken.Vault {
            self.balance = self.balance - amount
            return <-create Vault(balance: amount)
        }

        access(all) fun deposit(from: @{FungibleToken.Vault}) {
            let vault <- from as! @ExampleToken.Vault
            self.balance = self.balance + vault.balance
            // The tokens are counted in this vault now.
            vault.balance = 0.0
            destroy vault
        }

        access(all) fun createEmptyVault(): @ExampleToken.Vault {
            return <-create Vault(balance: 0.0)
        }

        access(all) view fun getViews(): [Type] {
            return []
        }

        access(all) fun resolveView(_ view: Type): AnyStruct? {
            return nil
        }
    }

    access(all) fun createEmptyVault(vaultType: Type): @ExampleToken.Vault {
        return <-create Vault(balance: 0.0)
    }

    access(all) view fun getContractViews(resourceType: Type?): [Type] {
        return []
    }

    access(all) fun resolveContractView(resourceType: Type?, viewType: Type): AnyStruct? {
        return nil
    }

    init() {
        self.vaultPath = /storage/exampleTokenVault
        self.receiverPath = /public/exampleTokenReceiver
        self.totalSupply = 1000000.0
        self.account.storage.save(<-create Vault(balance: self.totalSupply), to: self.vaultPath)
        let capability = self.account.capabilities.storage.issue<&Vault>(self.vaultPath)
        self.account.capabilities.publish(capability, at: self.receiverPath)
    }
}
`

const sendToken = `import "FungibleToken"
import "ExampleToken"

/// Sends tokens. The recipient must have a vault: see transactions/receive-token.cdc.
transaction(amount: UFix64, to: Address) {

    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage
            .borrow<auth(FungibleToken.Withdraw) &ExampleToken.Vault>(from: ExampleToken.vaultPath)
            ?? panic("The signer has no vault of ExampleToken")
        let receiver = getAccount(to).capabilities
            .borrow<&{FungibleToken.Receiver}>(ExampleToken.receiverPath)
            ?? panic("The recipient has no vault of ExampleToken")
        receiver.deposit(from: <-vault.withdraw(amount: amount))
    }
}
`

const receiveToken = `import "ExampleToken"

/// Creates a vault that anyone can send tokens to.
transaction {

    prepare(signer: auth(SaveValue, IssueStorageCapabilityController, PublishCapability) &Account) {
        if signer.storage.type(at: ExampleToken.vaultPath) != nil {
            return
        }
        signer.storage.save(
            <-ExampleToken.createEmptyVault(vaultType: Type<@ExampleToken.Vault>()),
            to: ExampleToken.vaultPath
        )
        let capability = signer.capabilities.storage.issue<&ExampleToken.Vault>(ExampleToken.vaultPath)
        signer.capabilities.publish(capability, at: ExampleToken.receiverPath)
    }
}
`

const nft = `import "NonFungibleToken"
import "MetadataViews"

/// NFTs with a name and a picture. Anyone can mint one.
access(all) contract ExampleNFT: NonFungibleToken {

    access(all) let collectionPath: StoragePath
    access(all) let publicPath: PublicPath

    access(all) resource NFT: NonFungibleToken.NFT {

        access(all) let id: UInt64
        access(all) let name: String
        access(all) let picture: String

        init(name: String, picture: String) {
            self.id = self.uuid
            self.name = name
            self.picture = picture
        }

        access(all) view fun getViews(): [Type] {
            return [Type<MetadataViews.Display>()]
        }

        access(all) fun resolveView(_ view: Type): AnyStruct? {
            if view != Type<MetadataViews.Display>() {
                return nil
            }
            return MetadataViews.Display(
                name: self.name,
                description: "An example",
                thumbnail: MetadataViews.HTTPFile(url: self.picture)
            )
        }

        access(all) fun createEmptyCollection(): @{NonFungibleToken.Collection} {
            return <-create Collection()
        }
    }

    access(all) resource Collection: NonFungibleToken.Collection {

        access(all) var ownedNFTs: @{UInt64: {NonFungibleToken.NFT}}

        init() {
            self.ownedNFTs <- {}
        }

        access(all) view fun getSupportedNFTTypes(): {Type: Bool} {
            return {Type<@NFT>(): true}
        }

        access(all) view fun isSupportedNFTType(type: Type): Bool {
            return type == Type<@NFT>()
        }

        access(NonFungibleToken.Withdraw) fun withdraw(withdrawID: UInt64): @{NonFungibleToken.NFT} {
            return <-(self.ownedNFTs.remove(key: withdrawID) ?? panic("The collection has no NFT with this id"))
        }

        access(all) fun deposit(token: @{NonFungibleToken.NFT}) {
            let nft <- token as! @NFT
            self.ownedNFTs[nft.id] <-! nft
        }

        access(all) view fun borrowNFT(_ id: UInt64): &{NonFungibleToken.NFT}? {
            return &self.ownedNFTs[id]
        }

        access(all) fun createEmptyCollection(): @{NonFungibleToken.Collection} {
            return <-create Collection()
        }
    }

    access(all) fun mint(name: String, picture: String): @NFT {
        return <-create NFT(name: name, picture: picture)
    }

    access(all) fun createEmptyCollection(nftType: Type): @{NonFungibleToken.Collection} {
        return <-create Collection()
    }

    access(all) view fun getContractViews(resourceType: Type?): [Type] {
        return []
    }

    access(all) fun resolveContractView(resourceType: Type?, viewType: Type): AnyStruct? {
        return nil
    }

    init() {
        self.collectionPath = /storage/exampleNFTCollection
        self.publicPath = /public/exampleNFTCollection
    }
}
`

const mint = `import "NonFungibleToken"
import "ExampleNFT"

/// Mints an NFT into the signer's collection, which it creates first if needed.
transaction(name: String, picture: String) {

    prepare(signer: auth(BorrowValue, SaveValue, IssueStorageCapabilityController, PublishCapability) &Account) {
        if signer.storage.type(at: ExampleNFT.collectionPath) == nil {
            signer.storage.save(
                <-ExampleNFT.createEmptyCollection(nftType: Type<@ExampleNFT.NFT>()),
                to: ExampleNFT.collectionPath
            )
            let capability = signer.capabilities.storage
                .issue<&{NonFungibleToken.Collection}>(ExampleNFT.collectionPath)
            signer.capabilities.publish(capability, at: ExampleNFT.publicPath)
        }
        let collection = signer.storage
            .borrow<&{NonFungibleToken.Collection}>(from: ExampleNFT.collectionPath)
            ?? panic("The signer has no collection of ExampleNFT")
        collection.deposit(token: <-ExampleNFT.mint(name: name, picture: picture))
    }
}
`

const nftIds = `import "NonFungibleToken"
import "ExampleNFT"

/// Ids of the NFTs of an account.
access(all) fun main(address: Address): [UInt64] {
    let collection = getAccount(address).capabilities.borrow<&{NonFungibleToken.Collection}>(ExampleNFT.publicPath)
    return collection?.getIDs() ?? []
}
`

const alarm = `import "FlowTransactionScheduler"

/// Emits an event at a later time.
access(all) contract Alarm {

    access(all) event Rang(id: UInt64, note: String)

    access(all) let handlerPath: StoragePath

    access(all) resource Handler: FlowTransactionScheduler.TransactionHandler {

        /// The chain calls it when the time has come.
        access(FlowTransactionScheduler.Execute) fun executeTransaction(id: UInt64, data: AnyStruct?) {
            emit Rang(id: id, note: data as? String ?? "")
        }
    }

    access(all) fun createHandler(): @Handler {
        return <-create Handler()
    }

    init() {
        self.handlerPath = /storage/alarmHandler
    }
}
`

const schedule = `import "FlowTransactionScheduler"
import "FlowToken"
import "FungibleToken"
import "Alarm"

/// Schedules an alarm, and pays its fee in advance.
transaction(note: String, seconds: UFix64) {

    prepare(signer: auth(BorrowValue, SaveValue, IssueStorageCapabilityController) &Account) {
        if signer.storage.type(at: Alarm.handlerPath) == nil {
            signer.storage.save(<-Alarm.createHandler(), to: Alarm.handlerPath)
        }
        let handler = signer.capabilities.storage
            .issue<auth(FlowTransactionScheduler.Execute) &{FlowTransactionScheduler.TransactionHandler}>(
                Alarm.handlerPath
            )
        let priority = FlowTransactionScheduler.Priority.Medium
        let effort: UInt64 = 1000
        let timestamp = getCurrentBlock().timestamp + seconds
        let estimate = FlowTransactionScheduler.estimate(
            data: note,
            timestamp: timestamp,
            priority: priority,
            executionEffort: effort
        )
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        let fees <- vault.withdraw(amount: estimate.flowFee ?? panic(estimate.error ?? "It cannot be scheduled"))
        let scheduled <- FlowTransactionScheduler.schedule(
            handlerCap: handler,
            data: note,
            timestamp: timestamp,
            priority: priority,
            executionEffort: effort,
            fees: <-(fees as! @FlowToken.Vault)
        )
        // Keep this resource instead if you want to cancel the transaction.
        destroy scheduled
    }
}
`

const evmCall = `import "EVM"

/// Calls a contract on the EVM from the signer's EVM account, which it creates first if needed.
transaction(to: String, signature: String, number: UInt256) {

    prepare(signer: auth(BorrowValue, SaveValue) &Account) {
        if signer.storage.type(at: /storage/evm) == nil {
            signer.storage.save(<-EVM.createCadenceOwnedAccount(), to: /storage/evm)
        }
        let account = signer.storage.borrow<auth(EVM.Call) &EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer has no EVM account")
        let result = account.call(
            to: EVM.addressFromString(to),
            // Such as "setNumber(uint256)".
            data: EVM.encodeABIWithSignature(signature, [number]),
            gasLimit: 100000,
            value: EVM.Balance(attoflow: 0)
        )
        assert(result.status == EVM.Status.successful, message: result.errorMessage)
    }
}
`

const evmBalance = `import "EVM"

/// FLOW balance of an EVM address.
access(all) fun main(address: String): UFix64 {
    return EVM.addressFromString(address).balance().inFLOW()
}
`

/** Deploy the contract first; transactions and scripts import it from the connected account. */
export const examples: readonly Example[] = [
  {
    name: 'token',
    title: 'A token',
    summary: 'A fungible token that follows the standard, and transactions that receive and send it.',
    files: [
      { path: 'contracts/ExampleToken.cdc', code: token },
      { path: 'transactions/receive-token.cdc', code: receiveToken },
      { path: 'transactions/send-token.cdc', code: sendToken },
    ],
  },
  {
    name: 'nft',
    title: 'An NFT collection',
    summary: 'NFTs with metadata, a transaction that mints one, and a script that lists them.',
    files: [
      { path: 'contracts/ExampleNFT.cdc', code: nft },
      { path: 'transactions/mint-nft.cdc', code: mint },
      { path: 'scripts/nft-ids.cdc', code: nftIds },
    ],
  },
  {
    name: 'scheduled',
    title: 'A scheduled transaction',
    summary: 'A contract that the chain calls at a later time, and a transaction that schedules it.',
    files: [
      { path: 'contracts/Alarm.cdc', code: alarm },
      { path: 'transactions/schedule-alarm.cdc', code: schedule },
    ],
  },
  {
    name: 'evm',
    title: 'An EVM call',
    summary: 'A transaction that calls a Solidity contract, and a script that reads an EVM balance.',
    files: [
      { path: 'transactions/call-evm.cdc', code: evmCall },
      { path: 'scripts/evm-balance.cdc', code: evmBalance },
    ],
  },
]
