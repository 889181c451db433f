import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { asError } from '../../src/platform/errors.ts'

/** A wire between machines; each machine has a network card for each. */
export const networks = ['data', 'front'] as const

export type NetworkName = (typeof networks)[number]

const run = promisify(execFile)

/** Machines of tests that run at the same time are told apart by their process. */
const prefix = `flowfarm-${process.pid}`

/**
 * Machines in one: network namespaces of Linux, each with a loopback and two network cards of its own, one at the
 * network of the database (`data`) and one at that of all else (`front`). Nothing leads out of them, and the network of
 * the machine that they run on is not touched; files and process ids are the same for all, unix sockets included.
 */
export class MachineNetwork {
  readonly #machines: readonly string[]

  private constructor(machines: readonly string[]) {
    this.#machines = machines
  }

  /** Why there can be no such machines here, in words that say what to do; undefined where there can be. */
  static async missing(): Promise<string | undefined> {
    const name = `${prefix}-try`
    try {
      await run('ip', ['netns', 'add', name])
      await run('ip', ['-n', name, 'link', 'add', 'wire', 'type', 'bridge'])
      return undefined
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT')
        return 'there is no program `ip`: install the package iproute2, and run this as root'
      return `network namespaces cannot be made, which takes root and a Linux that allows it (${asError(thrown).message.trim()})`
    } finally {
      await run('ip', ['netns', 'delete', name]).catch(() => undefined)
    }
  }

  /** Makes machines of these names, of which up to 200 fit. The caller removes them. */
  static async create(machines: readonly string[]): Promise<MachineNetwork> {
    await removeAbandoned()
    const made = new MachineNetwork(machines)
    const lines: string[] = []
    for (const name of ['switch', ...machines]) {
      await run('ip', ['netns', 'add', namespaceOf(name)])
      await batch(name, ['link set lo up'])
    }
    for (const network of networks) lines.push(`link add ${network} type bridge`, `link set ${network} up`)
    for (const machine of machines) {
      for (const network of networks) {
        const port = made.#port(machine, network)
        lines.push(
          `link add ${port} type veth peer name ${network} netns ${namespaceOf(machine)}`,
          `link set ${port} master ${network} up`,
        )
      }
    }
    await batch('switch', lines)
    for (const machine of machines) {
      await batch(
        machine,
        networks.flatMap((network) => [
          `address add ${made.address(machine, network)}/24 dev ${network}`,
          `link set ${network} up`,
        ]),
      )
    }
    return made
  }

  /** The address of a machine in a network. */
  address(machine: string, network: NetworkName): string {
    return `10.77.${networks.indexOf(network) + 1}.${this.#indexOf(machine) + 10}`
  }

  /** What a command is to begin with so that it runs on a machine; it keeps its process id. */
  command(machine: string): readonly [program: string, ...args: string[]] {
    return ['ip', 'netns', 'exec', namespaceOf(machine)]
  }

  /** Pulls the plug: nothing goes in or out any more, and no connection is told of it. */
  async unplug(machine: string, network: NetworkName): Promise<void> {
    await batch('switch', [`link set ${this.#port(machine, network)} down`])
  }

  async plugIn(machine: string, network: NetworkName): Promise<void> {
    await batch('switch', [`link set ${this.#port(machine, network)} up`])
  }

  /** Removes all machines. What still runs on one goes on without a network. */
  async remove(): Promise<void> {
    for (const name of [...this.#machines, 'switch']) await run('ip', ['netns', 'delete', namespaceOf(name)])
  }

  /** The end of a machine's cable at the switch; names of network cards have 15 letters at most. */
  #port(machine: string, network: NetworkName): string {
    return `${network}${this.#indexOf(machine)}`
  }

  #indexOf(machine: string): number {
    const index = this.#machines.indexOf(machine)
    if (index === -1) throw new RangeError(`there is no machine ${machine}`)
    return index
  }
}

/** Removes the machines of test processes that were killed. */
async function removeAbandoned(): Promise<void> {
  const { stdout } = await run('ip', ['netns', 'list'])
  for (const [name, pid] of stdout.matchAll(/^flowfarm-(\d+)-\w+/gm)) {
    if (!existsSync(`/proc/${pid}`)) await run('ip', ['netns', 'delete', name])
  }
}

function namespaceOf(machine: string): string {
  return `${prefix}-${machine}`
}

/** Runs lines of `ip` on a machine. */
async function batch(machine: string, lines: readonly string[]): Promise<void> {
  const running = run('ip', ['-n', namespaceOf(machine), '-batch', '-'])
  running.child.stdin?.end(`${lines.join('\n')}\n`)
  await running
}
