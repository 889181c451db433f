import type { DecodedTransaction } from '../decoded-block.ts'
import { addressField, FieldShapeError } from '../event-fields.ts'
import type { PayloadFields } from '../payload-value.ts'

const changeByType = {
  'flow.AccountContractAdded': 'added',
  'flow.AccountContractUpdated': 'updated',
  'flow.AccountContractRemoved': 'removed',
} as const

export interface ContractChange {
  readonly eventIndex: number
  readonly change: (typeof changeByType)[keyof typeof changeByType]
  readonly address: string
  readonly name: string
  /** SHA3-256 of the code, or of the removed code, 32 bytes. */
  readonly codeHash: Buffer
}

export interface ContractProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly message: string
}

/** Events have the hash of the code only. Source: onflow/cadence `stdlib/flow.go`. */
export function contractChanges({ events }: DecodedTransaction): {
  readonly changes: readonly ContractChange[]
  readonly problems: readonly ContractProblem[]
} {
  const changes: ContractChange[] = []
  const problems: ContractProblem[] = []
  for (const { type, index: eventIndex, fields } of events) {
    if (!isContractEvent(type) || fields === undefined) continue
    try {
      const [address, name, codeHash] = [addressField(fields), nameOf(fields), hashOf(fields)]
      changes.push({ eventIndex, change: changeByType[type], address, name, codeHash })
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      problems.push({ eventIndex, eventType: type, message: error.message })
    }
  }
  return { changes, problems }
}

function isContractEvent(type: string): type is keyof typeof changeByType {
  return type.startsWith('flow.AccountContract') && Object.hasOwn(changeByType, type)
}

function nameOf({ contract }: PayloadFields): string {
  if (typeof contract === 'string' && /^[A-Za-z_]\w*$/.test(contract)) return contract
  throw new FieldShapeError('field contract is not the name of a contract')
}

function hashOf({ codeHash }: PayloadFields): Buffer {
  if (typeof codeHash === 'string' && /^0x[0-9a-f]{64}$/.test(codeHash)) return Buffer.from(codeHash.slice(2), 'hex')
  throw new FieldShapeError('field codeHash is not a hash')
}
