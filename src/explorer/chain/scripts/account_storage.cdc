// How much of its storage an account uses, and what it keeps there: the first `most` paths of each domain.
access(all) struct StorageOverview {
    // Bytes.
    access(all) let used: UInt64
    access(all) let capacity: UInt64
    access(all) let balance: UFix64
    // FLOW that is not reserved for the storage in use.
    access(all) let availableBalance: UFix64
    // The block whose state this is.
    access(all) let height: UInt64
    access(all) let storagePaths: [StoragePath]
    access(all) let publicPaths: [PublicPath]
    // Whether there are more paths than these.
    access(all) let isCut: Bool

    init(_ account: &Account, _ most: Int) {
        let storagePaths: [StoragePath] = []
        let publicPaths: [PublicPath] = []
        var isCut = false
        account.storage.forEachStored(fun (path: StoragePath, type: Type): Bool {
            if storagePaths.length >= most {
                isCut = true
                return false
            }
            storagePaths.append(path)
            return true
        })
        account.storage.forEachPublic(fun (path: PublicPath, type: Type): Bool {
            if publicPaths.length >= most {
                isCut = true
                return false
            }
            publicPaths.append(path)
            return true
        })
        self.used = account.storage.used
        self.capacity = account.storage.capacity
        self.balance = account.balance
        self.availableBalance = account.availableBalance
        self.height = getCurrentBlock().height
        self.storagePaths = storagePaths
        self.publicPaths = publicPaths
        self.isCut = isCut
    }
}

access(all) fun main(address: Address, most: Int): StorageOverview {
    return StorageOverview(getAccount(address), most)
}
