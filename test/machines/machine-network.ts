import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { asError } from '../../src/platform/errors.ts'

/** A network between machines; each machine has an interface for each network. */
export const networks = ['data', 'front'] as const

export type NetworkName = (typeof networks)[number]

const run = promisify(execFile)

/** The process id separates machines of concurrent tests. */
const prefix = `flowfarm-${process.pid}`

/**
 * Several machines in one: Linux network namespaces, each with loopback and two interfaces, one in
 * the database network (`data`) and one in the network of everything else (`front`). They have no
 * outside route and do not change the host network. Files, process ids and unix sockets are shared.
 */
export class MachineNetwork {
  readonly #machines: readonly string[]

  private constructor(machines: readonly string[]) {
    this.#machines = machines
  }

  /** The reason and fix if network namespaces are unavailable; otherwise undefined. */
  static async missing(): Promise<string | undefined> {
    const name = `${prefix}-try`
    try {
      await run('ip', ['netns', 'add', name])
      await run('ip', ['-n', name, 'link', 'add', 'wire', 'type', 'bridge'])
      return undefined
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT')
        return 'program `ip` not found: install the package iproute2, and run this as root'
      return `network namespaces cannot be made, which takes root and a Linux that allows it (${asError(thrown).message.trim()})`
    } finally {
      await run('ip', ['netns', 'delete', name]).catch(() => undefined)
    }
  }

  /** Creates machines with these names, at most 200. The caller removes them. */
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

  /** Command prefix that runs a command on a machine; the process id does not change. */
  command(machine: string): readonly [program: string, ...args: string[]] {
    return ['ip', 'netns', 'exec', namespaceOf(machine)]
  }

  /** Disconnects a machine: packets are dropped and connections are not notified. */
  async unplug(machine: string, network: NetworkName): Promise<void> {
    await batch('switch', [`link set ${this.#port(machine, network)} down`])
  }

  async plugIn(machine: string, network: NetworkName): Promise<void> {
    await batch('switch', [`link set ${this.#port(machine, network)} up`])
  }

  /** Removes all machines. Remaining processes continue without a network. */
  async remove(): Promise<void> {
    for (const name of [...this.#machines, 'switch']) await run('ip', ['netns', 'delete', namespaceOf(name)])
  }

  /** The switch end of a machine's cable; interface names have at most 15 characters. */
  #port(machine: string, network: NetworkName): string {
    return `${network}${this.#indexOf(machine)}`
  }

  #indexOf(machine: string): number {
    const index = this.#machines.indexOf(machine)
    if (index === -1) throw new RangeError(`unknown machine ${machine}`)
    return index
  }
}

/** Removes the machines of killed test processes. */
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
