import { FatalError } from '../../src/platform/errors.ts'
import { AccessNode } from '../node/access-node.ts'
import type { AccessNodeOptions } from '../node/access-node.ts'
import { nodeMethods } from './node-methods.ts'
import { loadRecording } from './recording.ts'
import type { Recording } from './recording.ts'
import { ReplayChain } from './replay-chain.ts'
import type { ChainShape } from './replay-chain.ts'
import { scriptMethods } from './script-methods.ts'

export interface ReplayNodeOptions extends AccessNodeOptions, ChainShape {
  /** The recordings folder, or what `loadRecording` made of it. */
  readonly recording: string | Recording
  /** Which version of the chain; see `RecordedVersion.name`. Default: the first. */
  readonly version?: string
}

/**
 * An access node that serves a recording; its versions are those of the recording. Accounts, and what scripts say of
 * them, are those at the end of the recording; scripts that were not recorded are UNIMPLEMENTED.
 */
export class ReplayNode extends AccessNode<ReplayChain> {
  readonly recording: Recording

  /** Not listening yet: `startReplayNode` makes nodes. */
  constructor(recording: Recording, options: ReplayNodeOptions) {
    const names = [...recording.versions.keys()]
    super(
      {
        first: options.version ?? names[0] ?? '',
        names,
        methods: { ...nodeMethods, ...scriptMethods },
        chain(name) {
          const version = recording.versions.get(name)
          if (version !== undefined) return new ReplayChain(version, options)
          const known = names.map((other) => `'${other}'`).join(', ')
          throw new FatalError('version-unknown', `The recording has no version '${name}', only ${known}`)
        },
      },
      options,
    )
    this.recording = recording
  }
}

/**
 * Starts an access node on a recording.
 * @throws FatalError for a bad recording, an unknown version or height, a taken port
 */
export async function startReplayNode(options: ReplayNodeOptions): Promise<ReplayNode> {
  const recording = typeof options.recording === 'string' ? await loadRecording(options.recording) : options.recording
  const node = new ReplayNode(recording, options)
  await node.listen()
  return node
}
