// The state of an EVM address (40 hex digits), with its code of at most `maxCode` bytes.
import "EVM"

access(all) struct EvmAccount {
    // In attoflow.
    access(all) let balance: UInt
    access(all) let nonce: UInt64
    access(all) let codeSize: Int
    access(all) let code: String
    access(all) let height: UInt64

    init(_ address: EVM.EVMAddress, _ maxCode: Int) {
        let code = address.code()
        self.balance = address.balance().attoflow
        self.nonce = address.nonce()
        self.codeSize = code.length
        self.code = code.length <= maxCode ? String.encodeHex(code) : ""
        self.height = getCurrentBlock().height
    }
}

access(all) fun main(address: String, maxCode: Int): EvmAccount {
    return EvmAccount(EVM.addressFromString(address), maxCode)
}
