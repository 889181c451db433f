import { fileURLToPath } from 'node:url'
import { loadRecording } from '../../src/simnode/replay/recording.ts'
import type { Recording } from '../../src/simnode/replay/recording.ts'
import { startReplayNode } from '../../src/simnode/replay/replay-node.ts'
import type { ReplayNode, ReplayNodeOptions } from '../../src/simnode/replay/replay-node.ts'

/** The recordings in `test/recordings`; the README there tells what is in them. */
export type RecordingName = 'base' | 'fork'

const loaded = new Map<RecordingName, Promise<Recording>>()

/** Absolute path of a recording's folder. */
export function recordingFolder(name: RecordingName): string {
  return fileURLToPath(new URL(`../recordings/${name}`, import.meta.url))
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
 * An access node in this process, on a free port of 127.0.0.1 (`node.endpoint`). With `await using` it stops at the end
 * of the block; else call `stop`.
 */
export async function startRecordedNode(
  name: RecordingName,
  options: Omit<ReplayNodeOptions, 'recording'> = {},
): Promise<ReplayNode> {
  return startReplayNode({ ...options, recording: await recording(name) })
}
