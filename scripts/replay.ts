import { readCommandLine, replayHelp } from '../simnode/replay/command-line.ts'
import type { ReplayCommand } from '../simnode/replay/command-line.ts'
import { startReplayNode } from '../simnode/replay/replay-node.ts'
import type { ReplayNode } from '../simnode/replay/replay-node.ts'
import { runCommand, serveNode } from './serve-node.ts'

function describe(node: ReplayNode, { node: options }: ReplayCommand): string {
  const version = node.version === '' ? '' : `, version ${node.version}`
  const end = options.loop === true ? 'without end' : `to ${node.chain.highest}`
  const pace = options.intervalMs === undefined ? '' : `, a block every ${options.intervalMs} ms`
  const rest = options.hasRest === true ? `, REST on ${node.restUrl}` : ''
  const heights = `from height ${node.sporkRootHeight} ${end}, head ${node.head}`
  return `Replay node ready on ${node.endpoint}${rest}: ${options.recording}${version} ${heights}${pace}`
}

await runCommand(async () => {
  const command = readCommandLine(process.argv.slice(2), new Date())
  if (command === 'help') process.stdout.write(replayHelp)
  else
    await serveNode(
      () => startReplayNode(command.node),
      command,
      (node) => describe(node, command),
    )
})
