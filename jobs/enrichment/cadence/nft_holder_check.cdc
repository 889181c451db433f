// Which of some ids an account holds of one kind of item: for accounts that hold too many to list them.
import "NonFungibleToken"

access(all) fun startsWith(_ identifier: String, _ prefix: String): Bool {
    return identifier.length > prefix.length && identifier.slice(from: 0, upTo: prefix.length) == prefix
}

access(all) fun isHeld(_ collections: [&{NonFungibleToken.Collection}], _ itemType: String, _ id: UInt64): Bool {
    for collection in collections {
        if let item = collection.borrowNFT(id) {
            if item.getType().identifier == itemType { return true }
        }
    }
    return false
}

access(all) fun main(holder: Address, contractPrefix: String, itemType: String, ids: [UInt64]): [Bool] {
    let account = getAuthAccount<auth(Storage) &Account>(holder)
    let paths: [StoragePath] = []
    account.storage.forEachStored(fun (stored: StoragePath, type: Type): Bool {
        if startsWith(type.identifier, contractPrefix) && type.isSubtype(of: Type<@{NonFungibleToken.Collection}>()) {
            paths.append(stored)
        }
        return true
    })
    let collections: [&{NonFungibleToken.Collection}] = []
    for path in paths {
        collections.append(account.storage.borrow<&{NonFungibleToken.Collection}>(from: path)!)
    }
    let held: [Bool] = []
    for id in ids {
        held.append(isHeld(collections, itemType, id))
    }
    return held
}
