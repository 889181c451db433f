// The public paths of an account, the first `most` of them.
access(all) fun main(address: Address, most: Int): [PublicPath] {
    let paths: [PublicPath] = []
    getAccount(address).storage.forEachPublic(fun (path: PublicPath, type: Type): Bool {
        if paths.length >= most { return false }
        paths.append(path)
        return true
    })
    return paths
}
