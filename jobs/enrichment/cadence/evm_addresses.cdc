// The EVM contracts that the bridge has associated with types, as 40 hex digits: one entry for each, in order, nil where
// there is none.
import "FlowEVMBridgeConfig"

access(all) fun main(types: [String]): [String?] {
    let addresses: [String?] = []
    for identifier in types {
        if let type = CompositeType(identifier) {
            addresses.append(FlowEVMBridgeConfig.getEVMAddressAssociated(with: type)?.toString())
        } else {
            addresses.append(nil)
        }
    }
    return addresses
}
