// The result of a read-only call of an EVM contract (40 hex digits). Inputs and results are hex digits; a result of more
// than `maxBytes` is omitted.
import "EVM"

access(all) struct EvmCall {
    access(all) let isSuccessful: Bool
    access(all) let errorMessage: String
    access(all) let gasUsed: UInt64
    access(all) let size: Int
    access(all) let data: String
    access(all) let height: UInt64

    init(_ result: EVM.Result, _ maxBytes: Int) {
        self.isSuccessful = result.status == EVM.Status.successful
        self.errorMessage = result.errorMessage
        self.gasUsed = result.gasUsed
        self.size = result.data.length
        self.data = result.data.length <= maxBytes ? String.encodeHex(result.data) : ""
        self.height = getCurrentBlock().height
    }
}

access(all) fun main(address: String, input: String, gasLimit: UInt64, maxBytes: Int): EvmCall {
    let result = EVM.dryCall(
        from: EVM.addressFromString("0000000000000000000000000000000000000000"),
        to: EVM.addressFromString(address),
        data: input.decodeHex(),
        gasLimit: gasLimit,
        value: EVM.Balance(attoflow: 0)
    )
    return EvmCall(result, maxBytes)
}
