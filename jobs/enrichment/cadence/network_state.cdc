// The epoch, the stake of all nodes and the supply of FLOW, as they are now.
import "FlowEpoch"
import "FlowIDTableStaking"
import "FlowToken"

access(all) struct State {
    access(all) let height: UInt64
    access(all) let view_: UInt64
    access(all) let timestamp: UFix64
    access(all) let epoch: UInt64
    access(all) let phase: UInt8
    access(all) var startView: UInt64?
    access(all) var stakingEndView: UInt64?
    access(all) var endView: UInt64?
    access(all) var epochRewards: UFix64?
    access(all) let targetEndTime: UInt64
    access(all) let isStakingEnabled: Bool
    access(all) let totalStaked: UFix64
    access(all) let stakedByRole: {UInt8: UFix64}
    access(all) let minimumStakeByRole: {UInt8: UFix64}
    access(all) let epochPayout: UFix64
    access(all) let rewardCut: UFix64
    access(all) let totalSupply: UFix64
    access(all) let nodeIds: [String]
    access(all) let stakedNodeIds: [String]

    init() {
        let block = getCurrentBlock()
        self.height = block.height
        self.view_ = block.view
        self.timestamp = block.timestamp
        self.epoch = FlowEpoch.currentEpochCounter
        self.phase = FlowEpoch.currentEpochPhase.rawValue
        self.startView = nil
        self.stakingEndView = nil
        self.endView = nil
        self.epochRewards = nil
        if let epoch = FlowEpoch.getEpochMetadata(FlowEpoch.currentEpochCounter) {
            self.startView = epoch.startView
            self.stakingEndView = epoch.stakingEndView
            self.endView = epoch.endView
            self.epochRewards = epoch.totalRewards
        }
        self.targetEndTime = FlowEpoch.getEpochTimingConfig().getTargetEndTimeForEpoch(FlowEpoch.currentEpochCounter)
        self.isStakingEnabled = FlowIDTableStaking.stakingEnabled()
        self.totalStaked = FlowIDTableStaking.getTotalStaked()
        self.stakedByRole = FlowIDTableStaking.getTotalTokensStakedByNodeType()
        self.minimumStakeByRole = FlowIDTableStaking.getMinimumStakeRequirements()
        self.epochPayout = FlowIDTableStaking.getEpochTokenPayout()
        self.rewardCut = FlowIDTableStaking.getRewardCutPercentage()
        self.totalSupply = FlowToken.totalSupply
        self.nodeIds = FlowIDTableStaking.getNodeIDs()
        self.stakedNodeIds = FlowIDTableStaking.getParticipantNodeList()?.keys ?? []
    }
}

access(all) fun main(): State {
    return State()
}
