// Deploys FlowfarmRecovery to a new account that never has a key, so that its code cannot change.
// `code` in hex digits, `delay` in seconds.
transaction(code: String, delay: UFix64) {
    prepare(payer: auth(BorrowValue) &Account) {
        Account(payer: payer).contracts.add(name: "FlowfarmRecovery", code: code.decodeHex(), delay)
    }
}
