import { startReplayNode } from '../../simnode/replay/replay-node.ts'
import { loadRecording } from '../../simnode/replay/recording.ts'
import { blockMs, dayMs, editorVariables, pastDays } from './demo-chain.ts'
import type { DemoChain } from './demo-chain.ts'
import { withPictures } from './recorded-pictures.ts'

/** A node that replays a recording and then begins anew, for ever. @throws FatalError for a folder that holds none */
export async function startRecordedChain(folder: string, isStill: boolean): Promise<DemoChain> {
  const recording = withPictures(await loadRecording(folder))
  const [version] = recording.versions.values()
  const height = (version?.blocks.length ?? 1) - 1
  const node = await startReplayNode({
    recording,
    loop: true,
    hasRest: true,
    ...(isStill ? {} : { intervalMs: blockMs }),
    clock: { height, time: new Date(), spacingMs: blockMs, pastSpacingMs: (pastDays * dayMs) / height },
  })
  return {
    endpoint: node.endpoint,
    introduction: [
      `flowfarm is running on a recorded chain: ${height + 1} real blocks, then new ones for ever.`,
      `The recorded ones are given times over the last ${pastDays} days, so that charts have days to show.`,
    ],
    watched: '0xf8d6e0586b0a20c7',
    labels: [],
    samples: [],
    variables: {
      // What tokens and items say of themselves was recorded; what goes on after the end of the recording cannot be
      // asked.
      ENABLE_NFT_OWNERSHIP_RECONCILER: 'false',
      ENABLE_NETWORK_STATE_WORKER: 'false',
      ...editorVariables(node.restUrl),
    },
    failed: new Promise(() => undefined),
    stop: () => node.stop(),
  }
}
