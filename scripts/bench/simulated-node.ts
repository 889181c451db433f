import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** An access node with blocks `from` and up. */
export interface BlockSource {
  readonly endpoint: string
  readonly from: number
}

export interface SimulatedNode extends BlockSource, AsyncDisposable {
  readonly pid: number
}

/** The first height that is asked for: the start of a cycle, and long after the first accounts were made. */
const firstHeight = 100_000

/** Starts a node on the simulated chain in a process of its own, whose head is the last of so many blocks and stays there. */
export async function startSimulatedNode(blocks: number): Promise<SimulatedNode> {
  const program = join(import.meta.dirname, '../simnode.ts')
  const child = spawn(
    process.execPath,
    [program, '--port', '0', '--still', '--head', String(firstHeight + blocks - 1)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = once(child, 'exit')
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
    exited.then(([code]) => `it ended with ${code}`),
  ])
  const endpoint = /[\w.]+:\d+/.exec(line)?.[0]
  if (endpoint === undefined) throw new Error(`The simulated node is not ready: ${line}`)
  return {
    endpoint,
    from: firstHeight,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** The node that was named, else a simulated one, which goes away with the block of its `await using`. */
export async function openSource(
  given: BlockSource | undefined,
  blocks: number,
): Promise<BlockSource & AsyncDisposable> {
  if (given === undefined) return startSimulatedNode(blocks)
  return { ...given, [Symbol.asyncDispose]: () => Promise.resolve() }
}
