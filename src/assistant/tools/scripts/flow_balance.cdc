access(all) fun main(address: Address): UFix64 {
    return getAccount(address).balance
}
