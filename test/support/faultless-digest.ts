import type { ReplayNodeOptions } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from './database.ts'
import { rawDigest, runIngest, untilStored } from './ingest.ts'
import { startRecordedNode } from './replay.ts'
import type { RecordingName } from './replay.ts'

/** One ingester alone: the variables that disable the other one. */
export const directions = {
  forward: { ENABLE_HISTORY_INGESTER: 'false' },
  backward: { ENABLE_FORWARD_INGESTER: 'false' },
} as const satisfies Record<string, Record<string, string>>

const digests = new Map<string, Promise<Record<string, string>>>()

/**
 * The digest of the raw tables after a run without faults, from height 0 to the node's head.
 * Computed once per shape.
 */
export function faultlessDigest(
  name: RecordingName,
  shape: Omit<ReplayNodeOptions, 'recording' | 'head'> & { readonly head: number },
): Promise<Record<string, string>> {
  const key = JSON.stringify([name, shape])
  const known = digests.get(key)
  if (known !== undefined) return known
  const making = makeDigest(name, shape)
  digests.set(key, making)
  return making
}

async function makeDigest(name: RecordingName, shape: { readonly head: number }): Promise<Record<string, string>> {
  const database = await createTestDatabase()
  try {
    await using node = await startRecordedNode(name, shape)
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilStored(database, 0, shape.head, run)
    await run.stop()
    return await rawDigest(database.pool)
  } finally {
    await database.drop()
  }
}
