import { join } from 'node:path'
import type { ClockShape } from '../../../simnode/ledger/world/clock.ts'
import type { Fault } from '../../../simnode/node/faults.ts'
import { ChildProgram } from './child-program.ts'

/** Data served by a node. */
export interface ServedChain {
  readonly branch: string
  readonly head: number
}

export interface SimulatedNodeOptions {
  readonly name: string
  readonly seed: number
  /** The time of height 0 is known. */
  readonly clock: ClockShape
  readonly logFolder: string
  readonly run: string
  /** Whether the payer of sent transactions exists. Default: false. */
  readonly hasPayer?: boolean
}

/**
 * An access node of the simulated chain in a child process (`npm run simnode`). A control port sets
 * its data and faults. After a kill it can restart on the same port with the last settings.
 */
export class SimulatedNode {
  readonly #options: SimulatedNodeOptions
  #wanted: ServedChain
  #program: ChildProgram | undefined
  #port = 0
  #control = ''
  #served: ServedChain | undefined
  #updating: Promise<void> | undefined
  #killed = 0

  constructor(options: SimulatedNodeOptions, wanted: ServedChain) {
    this.#options = options
    this.#wanted = wanted
  }

  /** `host:port` */
  get endpoint(): string {
    return `127.0.0.1:${this.#port}`
  }

  get wanted(): ServedChain {
    return this.#wanted
  }

  /** @throws if it exits before it is ready */
  async start(): Promise<void> {
    const { name, seed, clock, logFolder, run, hasPayer = false } = this.#options
    const wanted = this.#wanted
    const program = new ChildProgram({
      argv: [
        'scripts/simnode.ts',
        '--port',
        String(this.#port),
        '--control-port',
        '0',
        '--seed',
        String(seed),
        '--branch',
        wanted.branch,
        '--head',
        String(wanted.head),
        '--genesis',
        clock.time.toISOString(),
        '--interval',
        String(clock.spacingMs),
        '--still',
        '--orphans',
        ...(hasPayer ? ['--payer'] : []),
      ],
      variables: {},
      logFile: join(logFolder, `${name}.log`),
      run,
    })
    this.#program = program
    const line = await program.saw(/^Simulated node ready/)
    if (line === undefined) throw new Error(`${name} did not start:\n${program.lastLines(20)}`)
    this.#port = Number(/ready on [^:]+:(\d+)/.exec(line)?.[1])
    this.#control = /control on (http:\S+)/.exec(line)?.[1] ?? ''
    this.#served = wanted
    this.#update()
  }

  /** Sets what it serves from now on; applied as soon as possible. */
  serve(wanted: ServedChain): void {
    this.#wanted = wanted
    this.#update()
  }

  /** Resolves when the settings are applied. @throws if they cannot be sent */
  async settled(): Promise<void> {
    while (this.#updating !== undefined) await this.#updating
    if (!isSame(this.#served, this.#wanted)) throw new Error(`${this.#options.name} does not serve the requested state`)
  }

  /** A node that is down receives no further faults and restarts without faults. */
  async inject(fault: Fault): Promise<void> {
    if (this.#served !== undefined) await this.#ask('POST', 'fault', fault)
  }

  async clearFaults(): Promise<void> {
    if (this.#served !== undefined) await this.#ask('DELETE', 'faults')
  }

  /** Stops it (SIGSTOP) until `thaw`. */
  freeze(): void {
    this.#program?.child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#program?.child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    this.#killed++
    this.#served = undefined
    await this.#program?.end('SIGKILL')
  }

  async stop(): Promise<void> {
    this.#killed++
    if (this.#program?.isRunning === true) await this.#program.end('SIGTERM')
  }

  #update(): void {
    this.#updating ??= this.#updateAll().finally(() => {
      this.#updating = undefined
    })
  }

  async #updateAll(): Promise<void> {
    const life = this.#killed
    while (this.#program?.isRunning === true && this.#served !== undefined && !isSame(this.#served, this.#wanted)) {
      const { branch, head } = this.#wanted
      try {
        await (branch === this.#served.branch
          ? this.#ask('POST', 'head', { height: head })
          : this.#ask('POST', 'branch', { name: branch, head }))
      } catch (error) {
        // A killed node receives its settings at the next start.
        if (life === this.#killed && this.#program.isRunning) throw error
        return
      }
      // Killed right after its response: the restarted node does not have the settings.
      if (life !== this.#killed) return
      this.#served = { branch, head }
    }
  }

  async #ask(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<void> {
    const content =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const send = (): Promise<Response> => fetch(`${this.#control}/${path}`, { method, ...content })
    // A frozen node may close a kept-alive connection during use; all settings are
    // idempotent and can be sent twice.
    const response = await send().catch(send)
    const text = await response.text()
    if (!response.ok) throw new Error(`${this.#options.name} refused ${path}: ${text}`)
  }
}

function isSame(a: ServedChain | undefined, b: ServedChain): boolean {
  return a?.branch === b.branch && a.head === b.head
}
