import "FlowfarmRecovery"

transaction(account: Address, publicKey: String) {
    prepare(recoverer: auth(BorrowValue, SaveValue) &Account) {
        let path = FlowfarmRecovery.recovererPath
        if recoverer.storage.type(at: path) == nil {
            recoverer.storage.save(<-FlowfarmRecovery.createRecoverer(), to: path)
        }
        recoverer.storage
            .borrow<auth(FlowfarmRecovery.Recover) &FlowfarmRecovery.Recoverer>(from: path)!
            .announce(account: account, publicKey: publicKey)
    }
}
