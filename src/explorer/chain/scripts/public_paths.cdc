// Up to `max` public paths of an account.
access(all) fun main(address: Address, max: Int): [PublicPath] {
    let paths: [PublicPath] = []
    getAccount(address).storage.forEachPublic(fun (path: PublicPath, type: Type): Bool {
        if paths.length >= max { return false }
        paths.append(path)
        return true
    })
    return paths
}
