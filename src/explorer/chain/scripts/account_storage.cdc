// Storage usage of an account and up to `max` paths per domain.
access(all) struct StorageOverview {
    // Bytes.
    access(all) let used: UInt64
    access(all) let capacity: UInt64
    access(all) let balance: UFix64
    // FLOW not reserved for storage.
    access(all) let availableBalance: UFix64
    // Height of the state.
    access(all) let height: UInt64
    access(all) let storagePaths: [StoragePath]
    access(all) let publicPaths: [PublicPath]
    // Whether there are more paths.
    access(all) let isCut: Bool

    init(_ account: &Account, _ max: Int) {
        let storagePaths: [StoragePath] = []
        let publicPaths: [PublicPath] = []
        var isCut = false
        account.storage.forEachStored(fun (path: StoragePath, type: Type): Bool {
            if storagePaths.length >= max {
                isCut = true
                return false
            }
            storagePaths.append(path)
            return true
        })
        account.storage.forEachPublic(fun (path: PublicPath, type: Type): Bool {
            if publicPaths.length >= max {
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

access(all) fun main(address: Address, max: Int): StorageOverview {
    return StorageOverview(getAccount(address), max)
}
