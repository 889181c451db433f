// The EVM addresses (40 hex digits) of the Cadence-owned accounts that accounts store at the usual path: one entry for
// each account, in order, nil where there is none.
import "EVM"

access(all) fun main(accounts: [Address]): [String?] {
    let addresses: [String?] = []
    for address in accounts {
        let account = getAuthAccount<auth(BorrowValue) &Account>(address)
        if account.storage.type(at: /storage/evm) == Type<@EVM.CadenceOwnedAccount>() {
            let owned = account.storage.borrow<&EVM.CadenceOwnedAccount>(from: /storage/evm)!
            addresses.append(owned.address().toString())
        } else {
            addresses.append(nil)
        }
    }
    return addresses
}
