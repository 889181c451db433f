import type { SystemWork } from './activity.ts'
import { accountCreated, contractEvent, keyAdded } from '../events/account-events.ts'
import { inventedKey, accountAt } from '../world/account.ts'
import { genesisContracts } from '../world/genesis-contracts.ts'
import { arrayOf, eventShape, optional } from '../encoding/cadence-type.ts'
import type { CadenceType, CompositeType } from '../encoding/cadence-type.ts'
import { cycleMiddle, placeInCycle, cycleLength, cycleOf } from '../world/cycle.ts'
import { systemAccounts, flow } from '../world/tokens.ts'
import type { Moment } from '../state/ledger-state.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { moveTokens } from '../state/token-moves.ts'
import { personOfTurn } from '../world/people.ts'

/** The first system transaction of each block. Source: onflow/flow-go `fvm/blueprints/scheduled_callback.go`. */
export const processScript = Buffer.from(`import FlowTransactionScheduler from 0xf8d6e0586b0a20c7

// Process scheduled transactions by the FlowTransactionScheduler contract.
// This will be called by the FVM and all scheduled transactions that should be 
// executed will be processed. An event for each will be emitted.
transaction {
    prepare(serviceAccount: auth(BorrowValue) &Account) {
        let scheduler = serviceAccount.storage.borrow<auth(FlowTransactionScheduler.Process) &FlowTransactionScheduler.SharedScheduler>(from: FlowTransactionScheduler.storagePath)
            ?? panic("Could not borrow FlowTransactionScheduler")

        scheduler.process()
    }
}`)

/** The last one, the system chunk. Source: onflow/flow-go `fvm/blueprints/system.go`. */
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

/** The first block that anything runs in. */
const firstHeight = 1

/** Tells, in the first block, of the contracts that are there from the beginning, and of their accounts. */
export const firstContracts: SystemWork = {
  name: 'first-contracts',
  chunk: ({ height }) =>
    height === firstHeight
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
const struct = (name: string, fields: Readonly<Record<string, CadenceType>>): CompositeType => ({
  ...eventShape(`${contract}.${name}`, fields),
  kind: 'struct',
})

const semver = struct('Semver', { major: 'UInt8', minor: 'UInt8', patch: 'UInt8', preRelease: optional('String') })
const boundary = struct('VersionBoundary', { blockHeight: 'UInt64', version: semver })
const versionBeacon = eventShape(`${contract}.VersionBeacon`, {
  versionBoundaries: arrayOf(boundary),
  sequence: 'UInt64',
})

/** Cycles from one version of nodes to the next. */
const cyclesPerVersion = 50
/** Blocks between the announcement of a version and the first block that needs it. */
const notice = 5 * cycleLength

/** Every now and then the chain tells its nodes from which height on they must have a newer version. */
export const versionBeacons: SystemWork = {
  name: 'version-beacon',
  chunk({ height }) {
    const cycle = cycleOf(height)
    if (placeInCycle(height) !== cycleMiddle || cycle % cyclesPerVersion !== 0) return []
    const sequence = cycle / cyclesPerVersion
    const versionOf = (number: number) => [0, Math.floor(number / 200) % 256, number % 200, null] as const
    const last = Math.max(0, height - cyclesPerVersion * cycleLength + notice)
    return [
      {
        shape: versionBeacon,
        values: [
          [
            [last, versionOf(sequence)],
            [height + notice, versionOf(sequence + 1)],
          ],
          sequence,
        ],
      },
    ]
  },
}

/** As many as the largest transactions of the main network had: payouts of staking rewards. */
const eventsWanted = 50_000
/** Each tells four events. */
const eventsPerMove = 4

const script = Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

// Pays everybody, and takes it back.
transaction(height: UInt64) {
    prepare(service: auth(BorrowValue) &Account) {}
}
`)

/** One transaction of the chain's own with 50,000 events, at some heights. What it pays out it takes back. */
export function hugeBlocks(heights: ReadonlySet<number>): SystemWork {
  return {
    name: 'huge-block',
    executions: (moment) => (heights.has(moment.height) ? [hugeTransaction(moment)] : []),
  }
}

function hugeTransaction(moment: Moment): DraftTransaction {
  const events: DraftEvent[] = []
  const pairs = eventsWanted / eventsPerMove / 2
  for (let nth = 0; nth < pairs; nth++) {
    const [one, other] = [personOfTurn(nth), personOfTurn(nth + 1)]
    const amount = BigInt(moment.random.between(1, 100_000_000))
    moveTokens(moment, flow, one, other, amount, events)
    moveTokens(moment, flow, other, one, amount, events)
  }
  return {
    script,
    arguments: [{ type: 'UInt64', value: moment.height }],
    authorizers: [systemAccounts.service],
    gasLimit: 9999,
    computation: 9999,
    events,
  }
}
