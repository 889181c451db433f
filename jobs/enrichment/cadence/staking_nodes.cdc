// What the staking table holds of nodes: one entry for each, in order. Fails for a node that is not in the table.
import "FlowIDTableStaking"

access(all) struct Node {
    access(all) let role: UInt8
    access(all) let networkingAddress: String
    access(all) let tokensStaked: UFix64
    access(all) let tokensCommitted: UFix64
    access(all) let tokensUnstaking: UFix64
    access(all) let tokensUnstaked: UFix64
    access(all) let tokensRewarded: UFix64
    access(all) let tokensRequestedToUnstake: UFix64
    // Nil where there are too many delegators to add them up in a script.
    access(all) let totalStakedWithDelegators: UFix64?
    access(all) let delegatorCount: Int
    access(all) let initialWeight: UInt64

    init(_ info: FlowIDTableStaking.NodeInfo) {
        self.role = info.role
        self.networkingAddress = info.networkingAddress
        self.tokensStaked = info.tokensStaked
        self.tokensCommitted = info.tokensCommitted
        self.tokensUnstaking = info.tokensUnstaking
        self.tokensUnstaked = info.tokensUnstaked
        self.tokensRewarded = info.tokensRewarded
        self.tokensRequestedToUnstake = info.tokensRequestedToUnstake
        self.totalStakedWithDelegators = info.delegators.length <= 2000 ? info.totalStakedWithDelegators() : nil
        self.delegatorCount = info.delegators.length
        self.initialWeight = info.initialWeight
    }
}

access(all) fun main(ids: [String]): [Node] {
    let nodes: [Node] = []
    for id in ids {
        nodes.append(Node(FlowIDTableStaking.NodeInfo(nodeID: id)))
    }
    return nodes
}
