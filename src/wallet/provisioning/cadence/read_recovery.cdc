// The contract's delay and the capabilities to its account, which could change it, and the recovery of an account.
import "FlowfarmRecovery"

access(all) struct Read {
    access(all) let delay: UFix64
    access(all) let capabilities: Int
    access(all) let recoverer: Address?
    access(all) let user: String?
    access(all) let publicKey: String?
    access(all) let dueAt: UFix64?
    access(all) let expiresAt: UFix64?

    init(contractAddress: Address, recovery: &FlowfarmRecovery.AccountRecovery?) {
        self.delay = FlowfarmRecovery.delay
        self.capabilities = getAuthAccount<auth(GetAccountCapabilityController) &Account>(contractAddress)
            .capabilities.account.getControllers().length
        self.recoverer = recovery?.recoverer
        self.user = recovery?.user
        self.publicKey = recovery?.announcement?.publicKey
        self.dueAt = recovery?.announcement?.dueAt
        self.expiresAt = recovery?.announcement?.expiresAt
    }
}

access(all) fun main(contractAddress: Address, accounts: [Address]): [Read] {
    let read: [Read] = []
    for account in accounts {
        let recovery = FlowfarmRecovery.recovery(account)
        read.append(Read(
            contractAddress: contractAddress,
            recovery: recovery?.isUsable() == true ? recovery : nil
        ))
    }
    return read
}
