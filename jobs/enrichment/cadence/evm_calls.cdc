// The results of read-only calls of EVM contracts, as hex digits: one entry for each call, in order, nil where the call
// failed or returned more than `maxBytes`.
import "EVM"

access(all) fun main(addresses: [String], inputs: [String], gasLimit: UInt64, maxBytes: Int): [String?] {
    let caller = EVM.addressFromString("0000000000000000000000000000000000000000")
    let results: [String?] = []
    var i = 0
    while i < addresses.length {
        let result = EVM.dryCall(
            from: caller,
            to: EVM.addressFromString(addresses[i]),
            data: inputs[i].decodeHex(),
            gasLimit: gasLimit,
            value: EVM.Balance(attoflow: 0)
        )
        if result.status == EVM.Status.successful && result.data.length <= maxBytes {
            results.append(String.encodeHex(result.data))
        } else {
            results.append(nil)
        }
        i = i + 1
    }
    return results
}
