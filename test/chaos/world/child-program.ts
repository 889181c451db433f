import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { repositoryRoot } from '../../support/repository.ts'
import type { ClockMessage } from './stepped-clock.ts'

const steppedClock = join(import.meta.dirname, 'stepped-clock.ts')

/**
 * Environment variable of every program of a run, set to the run's name, to find leftover
 * processes.
 */
export const runVariable = 'FLOWFARM_CHAOS_RUN'

export interface ChildProgramOptions {
  /** The program, relative to the repository root, and its arguments. */
  readonly argv: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  /** File to which its output is appended. */
  readonly logFile: string
  readonly run: string
}

/** Exit code or signal of a program. */
export type ProgramEnd = number | NodeJS.Signals

/** The last lines suffice to explain an exit; the file has all of them. */
const maxLines = 200

/**
 * A program of this repository in a child process. It exits with this process, however this one
 * ends.
 */
export class ChildProgram {
  readonly child: ChildProcess
  readonly #lines: string[] = []
  readonly #log: WriteStream
  readonly #readers = new Set<(line: string) => void>()
  readonly #ended: Promise<ProgramEnd>

  constructor({ argv, variables, logFile, run }: ChildProgramOptions) {
    this.#log = createWriteStream(logFile, { flags: 'a' })
    this.child = spawn(process.execPath, ['--import', steppedClock, ...argv], {
      cwd: repositoryRoot,
      env: { ...bareEnvironment(), ...variables, [runVariable]: run },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#log.write(`--- process ${this.pid} ---\n`)
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#accept(line))
    }
    this.#ended = once(this.child, 'exit').then(() => this.child.signalCode ?? this.child.exitCode ?? 0)
    void once(this.child, 'close').then(() => this.#log.end())
  }

  get pid(): number {
    return this.child.pid ?? -1
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Resolves with the first matching line, or with undefined if the program exits before. */
  async saw(text: RegExp): Promise<string | undefined> {
    const there = this.#lines.find((line) => text.test(line))
    if (there !== undefined) return there
    const { promise, resolve } = Promise.withResolvers<string>()
    const read = (line: string): void => {
      if (text.test(line)) resolve(line)
    }
    this.#readers.add(read)
    try {
      return await Promise.race([promise, this.#ended.then(() => undefined)])
    } finally {
      this.#readers.delete(read)
    }
  }

  ended(): Promise<ProgramEnd> {
    return this.#ended
  }

  /** Sends a signal and resolves when the program has exited. */
  async end(signal: NodeJS.Signals): Promise<ProgramEnd> {
    this.child.kill(signal)
    return this.#ended
  }

  /** Sets its clock offset. */
  stepClock(clockStepMs: number): void {
    if (this.isRunning && this.child.connected) this.child.send({ clockStepMs } satisfies ClockMessage, () => undefined)
  }

  lastLines(count: number): string {
    return this.#lines.slice(-count).join('\n')
  }

  #accept(line: string): void {
    this.#log.write(`${line}\n`)
    this.#lines.push(line)
    if (this.#lines.length > maxLines) this.#lines.shift()
    for (const read of this.#readers) read(line)
  }
}
