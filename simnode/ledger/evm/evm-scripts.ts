const imports = `import EVM from 0xf8d6e0586b0a20c7
import FlowToken from 0x0ae53cb6e3f42a79
import FungibleToken from 0xee82856bf20e2aa6
`

/** The transactions with which people act in the EVM. */
export const evmScripts = {
  /** Relays a transaction that was signed for the EVM, in hex digits; what it pays for gas goes to an account there. */
  run: Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(signed: String, feesTo: String) {
    execute {
        let result = EVM.run(tx: signed.decodeHex(), coinbase: EVM.addressFromString(feesTo))
        assert(
            result.status == EVM.Status.successful || result.status == EVM.Status.failed,
            message: result.errorMessage
        )
    }
}
`),
  deposit: Buffer.from(`${imports}
transaction(amount: UFix64, to: String) {
    let sent: @FlowToken.Vault

    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        self.sent <- vault.withdraw(amount: amount) as! @FlowToken.Vault
    }

    execute {
        EVM.addressFromString(to).deposit(from: <-self.sent)
    }
}
`),
  withdraw: Buffer.from(`${imports}
transaction(amount: UFix64, to: Address) {
    let taken: @FlowToken.Vault

    prepare(signer: auth(BorrowValue) &Account) {
        let owned = signer.storage.borrow<auth(EVM.Withdraw) &EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer owns no account in the EVM")
        let balance = EVM.Balance(attoflow: 0)
        balance.setFLOW(flow: amount)
        self.taken <- owned.withdraw(balance: balance)
    }

    execute {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
            ?? panic("The recipient cannot receive FLOW")
        receiver.deposit(from: <-self.taken)
    }
}
`),
  call: Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(contract: String, input: String, gasLimit: UInt64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let owned = signer.storage.borrow<auth(EVM.Call) &EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer owns no account in the EVM")
        let result = owned.call(
            to: EVM.addressFromString(contract),
            data: input.decodeHex(),
            gasLimit: gasLimit,
            value: EVM.Balance(attoflow: 0)
        )
        assert(result.status == EVM.Status.successful, message: result.errorMessage)
    }
}
`),
  create: Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(path: StoragePath) {
    prepare(signer: auth(SaveValue, IssueStorageCapabilityController) &Account) {
        signer.storage.save(<-EVM.createCadenceOwnedAccount(), to: path)
        signer.capabilities.storage.issue<&EVM.CadenceOwnedAccount>(path)
    }
}
`),
} as const
