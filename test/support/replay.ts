import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadRecording } from '../../simnode/replay/recording.ts'
import type { Recording } from '../../simnode/replay/recording.ts'
import { startReplayNode } from '../../simnode/replay/replay-node.ts'
import type { ReplayNode, ReplayNodeOptions } from '../../simnode/replay/replay-node.ts'

/**
 * A recording in `test/recordings` (see its README), or the path of a folder in the same format.
 */
export type RecordingName = 'base' | 'fork' | `/${string}`

const given = process.env['FLOWFARM_RECORDING']

/** The recordings whose truth is checked: those two, or the one in FLOWFARM_RECORDING. */
export const recordingsToProve: readonly RecordingName[] =
  given === undefined ? ['base', 'fork'] : [resolve(given) as `/${string}`]

const loaded = new Map<RecordingName, Promise<Recording>>()

/** Absolute path of a recording's folder. */
export function recordingFolder(name: RecordingName): string {
  return resolve(fileURLToPath(new URL('../recordings', import.meta.url)), name)
}

/** A recording in memory, read once per process. */
export function recording(name: RecordingName): Promise<Recording> {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const loading = loadRecording(recordingFolder(name))
  loaded.set(name, loading)
  return loading
}

/**
 * An access node in this process, on a free port of 127.0.0.1 (`node.endpoint`). With `await using`
 * it stops at the end of the block. Otherwise, call `stop`.
 */
export async function startRecordedNode(
  name: RecordingName,
  options: Omit<ReplayNodeOptions, 'recording'> = {},
): Promise<ReplayNode> {
  return startReplayNode({ ...options, recording: await recording(name) })
}
