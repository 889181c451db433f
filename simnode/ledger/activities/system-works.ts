import type { SystemWork } from './activity.ts'
import { tokenImports } from './activity.ts'
import { accountCreated, contractEvent, keyAdded } from '../events/account-events.ts'
import { inventedKey, accountAt } from '../world/account.ts'
import { genesisContracts } from '../world/genesis-contracts.ts'
import { arrayOf, compositeType, eventShape, optional } from '../encoding/cadence.ts'
import { cycleMiddle, placeInCycle, cycleLength, cycleOf } from '../world/cycle.ts'
import { systemAccounts, flow } from '../world/tokens.ts'
import type { Moment } from '../state/ledger-state.ts'
import { argument } from '../events/draft.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { moveTokens } from '../state/token-moves.ts'
import { userOfTurn } from '../world/users.ts'

const scheduler = 'auth(FlowTransactionScheduler.Process) &FlowTransactionScheduler.SharedScheduler'
/** Source: onflow/flow-go `fvm/blueprints/scheduled_callback.go`. */
export const processScript = Buffer.from(`import FlowTransactionScheduler from 0xf8d6e0586b0a20c7

// Process scheduled transactions by the FlowTransactionScheduler contract.
// This will be called by the FVM and all scheduled transactions that should be 
// executed will be processed. An event for each will be emitted.
transaction {
    prepare(serviceAccount: auth(BorrowValue) &Account) {
        let scheduler = serviceAccount.storage.borrow<${scheduler}>(from: FlowTransactionScheduler.storagePath)
            ?? panic("Could not borrow FlowTransactionScheduler")

        scheduler.process()
    }
}`)

/** Source: onflow/flow-go `fvm/blueprints/system.go`. */
export const chunkScript = Buffer.from(`import RandomBeaconHistory from 0xf8d6e0586b0a20c7
import EVM from 0xf8d6e0586b0a20c7

transaction {
    prepare(serviceAccount: auth(BorrowValue) &Account) {
        let randomBeaconHistoryHeartbeat = serviceAccount.storage
            .borrow<&RandomBeaconHistory.Heartbeat>(from: RandomBeaconHistory.HeartbeatStoragePath)
            ?? panic("Couldn't borrow RandomBeaconHistory.Heartbeat Resource")
        randomBeaconHistoryHeartbeat.heartbeat(randomSourceHistory: randomSourceHistory())

        let evmHeartbeat = serviceAccount.storage
            .borrow<&EVM.Heartbeat>(from: /storage/EVMHeartbeat)
            ?? panic("Couldn't borrow EVM.Heartbeat Resource")
        evmHeartbeat.heartbeat()
    }
}
`)

export const firstContracts: SystemWork = {
  name: 'first-contracts',
  chunk: ({ height }) =>
    height === 1
      ? [...genesisContracts].flatMap(([index, contracts]) => {
          const account = accountAt(index)
          return [
            accountCreated(account),
            keyAdded(account, 0, inventedKey(account, 0)),
            ...contracts.map((contract) => contractEvent('contractAdded', account, contract)),
          ]
        })
      : [],
}

const contract = `A.${systemAccounts.service.hex}.NodeVersionBeacon`
const semver = compositeType('struct', `${contract}.Semver`, {
  major: 'UInt8',
  minor: 'UInt8',
  patch: 'UInt8',
  preRelease: optional('String'),
})
const boundary = compositeType('struct', `${contract}.VersionBoundary`, { blockHeight: 'UInt64', version: semver })
const versionBeacon = eventShape(`${contract}.VersionBeacon`, {
  versionBoundaries: arrayOf(boundary),
  sequence: 'UInt64',
})

const cyclesPerVersion = 50
/** Blocks before the version is needed. */
const notice = 5 * cycleLength

export const versionBeacons: SystemWork = {
  name: 'version-beacon',
  chunk({ height }) {
    const cycle = cycleOf(height)
    if (placeInCycle(height) !== cycleMiddle || cycle % cyclesPerVersion !== 0) return []
    const sequence = cycle / cyclesPerVersion
    const versionOf = (number: number) => [0, Math.floor(number / 200) % 256, number % 200, null] as const
    const last = Math.max(0, height - cyclesPerVersion * cycleLength + notice)
    const boundaries = [
      [last, versionOf(sequence)],
      [height + notice, versionOf(sequence + 1)],
    ]
    return [{ shape: versionBeacon, values: [boundaries, sequence] }]
  },
}

/** As in mainnet's payouts of staking rewards. */
const targetEventCount = 50_000
const eventsPerMove = 4

const script = Buffer.from(`${tokenImports}
// Pays everybody, and takes it back.
transaction(height: UInt64) {
    prepare(service: auth(BorrowValue) &Account) {}
}
`)

/** Reverts its payouts. */
export function hugeBlocks(heights: ReadonlySet<number>): SystemWork {
  return {
    name: 'huge-block',
    executions: (moment) => (heights.has(moment.height) ? [hugeTransaction(moment)] : []),
  }
}

function hugeTransaction(moment: Moment): DraftTransaction {
  const events: DraftEvent[] = []
  const pairs = targetEventCount / eventsPerMove / 2
  for (let nth = 0; nth < pairs; nth++) {
    const [one, other] = [userOfTurn(nth), userOfTurn(nth + 1)]
    const amount = BigInt(moment.random.between(1, 100_000_000))
    moveTokens(moment, flow, one, other, amount, events)
    moveTokens(moment, flow, other, one, amount, events)
  }
  return {
    script,
    arguments: [argument.uint64(moment.height)],
    authorizers: [systemAccounts.service],
    gasLimit: 9999,
    computation: 9999,
    events,
  }
}
