// The ids that an account holds of one kind of item, over all collections in its storage, a page of them. At one height
// their order is always the same.
import "NonFungibleToken"

access(all) struct Page {
    // Collections of the contract in the account's storage.
    access(all) let collections: Int
    // Ids on all pages.
    access(all) let total: Int
    access(all) let ids: [UInt64]

    init(collections: Int, total: Int, ids: [UInt64]) {
        self.collections = collections
        self.total = total
        self.ids = ids
    }
}

access(all) fun startsWith(_ identifier: String, _ prefix: String): Bool {
    return identifier.length > prefix.length && identifier.slice(from: 0, upTo: prefix.length) == prefix
}

access(all) fun heldIn(_ collection: &{NonFungibleToken.Collection}, _ itemType: String): [UInt64] {
    if collection.getSupportedNFTTypes().length < 2 { return collection.getIDs() }
    let held: [UInt64] = []
    for id in collection.getIDs() {
        if let item = collection.borrowNFT(id) {
            if item.getType().identifier == itemType { held.append(id) }
        }
    }
    return held
}

access(all) fun main(holder: Address, contractPrefix: String, itemType: String, from: Int, count: Int): Page {
    let account = getAuthAccount<auth(Storage) &Account>(holder)
    let paths: [StoragePath] = []
    account.storage.forEachStored(fun (stored: StoragePath, type: Type): Bool {
        if startsWith(type.identifier, contractPrefix) && type.isSubtype(of: Type<@{NonFungibleToken.Collection}>()) {
            paths.append(stored)
        }
        return true
    })
    var ids: [UInt64] = []
    for path in paths {
        let collection = account.storage.borrow<&{NonFungibleToken.Collection}>(from: path)!
        let held = heldIn(collection, itemType)
        ids = ids.length == 0 ? held : ids.concat(held)
    }
    let start = from < ids.length ? from : ids.length
    let end = start + count < ids.length ? start + count : ids.length
    return Page(collections: paths.length, total: ids.length, ids: ids.slice(from: start, upTo: end))
}
