import { once } from 'node:events'
import { asError, exitCodeOf } from '../src/base/errors.ts'
import { readCommandLine, replayHelp } from '../src/simnode/replay/command-line.ts'
import type { ReplayCommand } from '../src/simnode/replay/command-line.ts'
import { ControlServer } from '../src/simnode/node/control-server.ts'
import { startReplayNode } from '../src/simnode/replay/replay-node.ts'
import type { ReplayNode } from '../src/simnode/replay/replay-node.ts'

const rateIntervalMs = 5000

/** What a ready node serves, in one line. */
function describe(node: ReplayNode, { node: options }: ReplayCommand): string {
  const version = node.version === '' ? '' : `, version ${node.version}`
  const end = options.loop === true ? 'without end' : `to ${node.chain.highest}`
  const pace = options.intervalMs === undefined ? '' : `, a block every ${options.intervalMs} ms`
  return `${options.recording}${version} from height ${node.sporkRootHeight} ${end}, head ${node.head}${pace}`
}

function printRate(node: ReplayNode): NodeJS.Timeout {
  let before = node.callCount()
  return setInterval(() => {
    const calls = node.callCount()
    console.log(`${((calls - before) * 1000) / rateIntervalMs} calls/s, head ${node.head}`)
    before = calls
  }, rateIntervalMs)
}

/** Runs until SIGINT or SIGTERM. */
async function serve(command: ReplayCommand): Promise<void> {
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const node = await startReplayNode(command.node)
  try {
    const { controlPort } = command
    const control = controlPort === undefined ? undefined : await ControlServer.listen(node, controlPort)
    const rate = command.showsRate ? printRate(node) : undefined
    const steering = control === undefined ? '' : `; control on http://127.0.0.1:${control.port}`
    console.log(`Replay node ready on ${node.endpoint}: ${describe(node, command)}${steering}`)
    await stopped
    clearInterval(rate)
    await control?.close()
  } finally {
    await node.stop()
  }
}

try {
  const command = readCommandLine(process.argv.slice(2), new Date())
  if (command === 'help') process.stdout.write(replayHelp)
  else await serve(command)
} catch (thrown) {
  console.error(asError(thrown).message)
  process.exitCode = exitCodeOf(thrown)
}
