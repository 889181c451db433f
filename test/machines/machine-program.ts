import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { bareEnvironment } from '../support/bare-environment.ts'

/** A program of a machine that says in its first line when it is ready, and stops when its standard input ends. */
export class MachineProgram {
  /** What it said first. */
  readonly firstLine: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, firstLine: string) {
    this.#child = child
    this.firstLine = firstLine
  }

  /** Starts `node <args…>` behind `command`, and waits for its first line. */
  static async start(
    [program, ...before]: readonly [string, ...string[]],
    args: readonly string[],
  ): Promise<MachineProgram> {
    const child = spawn(program, [...before, process.execPath, ...args], {
      env: bareEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${args.join(' ')} ended with ${String(code)} before it said anything`)
    })
    ended.catch(() => undefined)
    const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
    return new MachineProgram(child, line)
  }

  /** Lets it end. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    if (signal === undefined) this.#child.stdin?.end()
    else this.#child.kill(signal)
    await exited
  }
}
