import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { decodedRecording } from './decoded-recording.ts'
import { truthOf } from './recording-annotations.ts'
import type { Truth } from './recording-annotations.ts'
import { recording } from './replay.ts'
import type { RecordingName } from './replay.ts'

/** A version of a recording's chain. */
export interface RecordedVersion {
  readonly version: string
  readonly blocks: readonly DecodedBlock[]
  /** The chain's state at the end of the version. */
  readonly truth: Truth
  /** The height at which it forks from the version before. */
  readonly from: number
}

/** The versions of a recorded chain, in order. */
export async function recordedVersions(name: RecordingName): Promise<readonly RecordedVersion[]> {
  const versions: RecordedVersion[] = []
  for (const version of (await recording(name)).versions.keys()) {
    const blocks = await decodedRecording(name, { version })
    const before = versions.at(-1)?.blocks ?? []
    const from = blocks.findIndex(({ id }, height) => before[height]?.id.equals(id) !== true)
    versions.push({ blocks, truth: await truthOf(name, version), from, version })
  }
  return versions
}
