import { once } from 'node:events'
import { asError, exitCodeOf } from '../src/platform/errors.ts'
import type { AccessNode } from '../simnode/server/access-node.ts'
import { ControlServer } from '../simnode/server/control-server.ts'
import type { NodeCommand } from '../simnode/server/node-arguments.ts'

const rateIntervalMs = 5000

function printRate(node: AccessNode): NodeJS.Timeout {
  let before = node.callCount()
  return setInterval(() => {
    const calls = node.callCount()
    console.log(`${((calls - before) * 1000) / rateIntervalMs} calls/s, head ${node.head}`)
    before = calls
  }, rateIntervalMs)
}

/** Until SIGINT or SIGTERM. */
export async function serveNode<Node extends AccessNode>(
  start: () => Promise<Node>,
  { controlPort, showsRate }: NodeCommand,
  describe: (node: Node) => string,
): Promise<void> {
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const node = await start()
  try {
    const control = controlPort === undefined ? undefined : await ControlServer.listen(node, controlPort)
    const rate = showsRate ? printRate(node) : undefined
    const steering = control === undefined ? '' : `; control on http://127.0.0.1:${control.port}`
    console.log(`${describe(node)}${steering}`)
    await stopped
    clearInterval(rate)
    await control?.close()
  } finally {
    await node.stop()
  }
}

export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (thrown) {
    console.error(asError(thrown).message)
    process.exitCode = exitCodeOf(thrown)
  }
}
