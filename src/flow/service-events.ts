import { coreContracts } from './core-contracts.ts'
import type { Network } from './network.ts'

/**
 * The event types by which the system contracts tell the protocol of a change: epochs, node versions and the version
 * of the protocol state. Only the core contracts' own accounts count; anybody may deploy a contract of the same name.
 * Source: onflow/flow-go `fvm/systemcontracts/system_contracts.go`, `model/convert/service_event.go`.
 */
export function serviceEventTypes(network: Network): readonly string[] {
  const { staking, service } = coreContracts(network)
  return [
    `A.${staking}.FlowEpoch.EpochSetup`,
    `A.${staking}.FlowEpoch.EpochCommit`,
    `A.${staking}.FlowEpoch.EpochRecover`,
    `A.${service}.NodeVersionBeacon.VersionBeacon`,
    `A.${service}.NodeVersionBeacon.ProtocolStateVersionUpgrade`,
  ]
}
