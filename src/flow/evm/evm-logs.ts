import { EvmPayloadError } from './evm-payload.ts'
import { decodeRlpList, hexOf, RlpFields } from './rlp-fields.ts'
import type { RlpList } from './rlp-fields.ts'

export interface EvmLog {
  /** Contract, 40 hex digits. */
  readonly address: string
  /** At most four, 64 hex digits each; the first is usually the hash of the event signature. */
  readonly topics: readonly string[]
  readonly data: Uint8Array
}

const fieldNames = ['address', 'topics', 'data']

/** @param bytes RLP list; empty without logs @throws EvmPayloadError */
export function decodeEvmLogs(bytes: Buffer): readonly EvmLog[] {
  return bytes.length === 0 ? [] : decodeRlpList(bytes).map(readLog)
}

function readLog(log: RlpList | Uint8Array): EvmLog {
  if (!Array.isArray(log)) throw new EvmPayloadError('a log is not a list')
  const fields = new RlpFields(log, fieldNames)
  return { address: fields.address(), topics: fields.list().map(readTopic), data: fields.bytes() }
}

function readTopic(topic: RlpList | Uint8Array): string {
  if (Array.isArray(topic) || topic.length !== 32) throw new EvmPayloadError('a topic does not have 32 bytes')
  return hexOf(topic)
}
