// The type of what an account keeps at a storage path; nil where it keeps nothing there.
access(all) fun main(address: Address, identifier: String): String? {
    return getAccount(address).storage.type(at: StoragePath(identifier: identifier)!)?.identifier
}
