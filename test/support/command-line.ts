import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { bareEnvironment } from './bare-environment.ts'
import { repositoryRoot } from './repository.ts'

export interface ProcessResult {
  /** 1 to 255, or the name of the signal that ended it. */
  readonly code: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Default: the folder of the tests. */
  readonly cwd?: string
  /** User and group id of the process, for root only. Default: those of the tests. */
  readonly user?: number
}

/** A child process whose environment has only the given variables. */
export class ProgramRun {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly ended: Promise<ProcessResult>
  #stdout = ''
  #stderr = ''
  #output = Promise.withResolvers<void>()

  /** @param file what Node runs */
  constructor(
    file: string,
    args: readonly string[],
    variables: Record<string, string>,
    { cwd, user }: RunOptions = {},
  ) {
    this.child = spawn(process.execPath, [file, ...args], {
      cwd,
      ...(user === undefined ? {} : { uid: user, gid: user }),
      env: { ...bareEnvironment(), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const onOutput = (): void => {
      this.#output.resolve()
      this.#output = Promise.withResolvers()
    }
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
      onOutput()
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
      onOutput()
    })
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject)
      this.child.once('close', (code, signal) => {
        resolve({ code: code ?? signal ?? 0, stdout: this.#stdout, stderr: this.#stderr })
        onOutput()
      })
    })
  }

  /** Resolves when its stdout or stderr matches. Rejects if it exits before. */
  async printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#stdout + this.#stderr)) {
      const { exitCode } = this.child
      if (exitCode !== null) throw new Error(`ended with ${exitCode}:\n${this.#stdout}${this.#stderr}`)
      await this.#output.promise
    }
  }
}

/** `npm run farm -- <name>`, or the webhook receiver. */
export class CommandLine extends ProgramRun {
  constructor(name: string, args: readonly string[], variables: Record<string, string>) {
    const words = name === 'webhook-receiver' ? [] : [name]
    super(join(repositoryRoot, 'scripts', `${words.length > 0 ? 'farm' : name}.ts`), [...words, ...args], variables)
  }
}

/** Runs a command to its end. */
export function runCommandLine(
  name: string,
  args: readonly string[],
  variables: Record<string, string>,
): Promise<ProcessResult> {
  return new CommandLine(name, args, variables).ended
}
