// Type of the value at a storage path; nil if the path is empty.
access(all) fun main(address: Address, identifier: String): String? {
    return getAccount(address).storage.type(at: StoragePath(identifier: identifier)!)?.identifier
}
