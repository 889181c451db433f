import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { ApiError, RetryableError } from '../../../platform/errors.ts'
import { lowerPriorityOf } from '../../../platform/thread-limits.ts'

const places = z.record(z.string(), z.array(z.strictObject({ start: z.int().min(0), length: z.int().min(0) })))
const code = z.object({
  object: z.string(),
  linkReferences: z.record(z.string(), places).default({}),
  immutableReferences: places.default({}),
})

const compiledContract = z.object({
  /** Null above `maxAbiBytes`; then metadata is empty. */
  abi: z.array(z.record(z.string(), z.unknown())).nullable(),
  metadata: z.string(),
  evm: z.object({ bytecode: code, deployedBytecode: code }),
})
export type CompiledContract = z.output<typeof compiledContract>

const outputSchema = z.object({
  errors: z.array(z.object({ formattedMessage: z.string() })),
  contracts: z.record(z.string(), z.record(z.string(), compiledContract)),
})

export interface CompilerInput {
  readonly sources: Readonly<Record<string, { readonly content: string }>>
  readonly settings: Readonly<Record<string, unknown>>
}

export interface CompilerOutput {
  /** `0.8.37+commit.f401782d` */
  readonly version: string
  /** By file and name. */
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>
}

export interface CompilerOptions {
  /** Default `compilationMs`. */
  readonly timeLimitMs?: number
  /** Default 8192: 512 MB. Large projects take 300. */
  readonly maxMemoryPages?: number
  /** Default 32 MB. */
  readonly maxOutputBytes?: number
}

const program = fileURLToPath(new URL('compile-program.ts', import.meta.url))
const maxHeapMb = 512
/** Ends before the server disconnects the client. */
export const compilationMs = 50_000
export const maxAbiBytes = 500_000
const maxErrors = 5
const maxErrorLength = 600

/** The optional package `solc`, which has one version. */
export class SolidityCompiler {
  /** `0.8.37` */
  readonly version: string
  readonly #module: string
  readonly #options: Required<CompilerOptions>

  private constructor(module: string, version: string, options: CompilerOptions) {
    this.#module = module
    this.version = version
    this.#options = { timeLimitMs: compilationMs, maxMemoryPages: 8192, maxOutputBytes: 32 * 1024 * 1024, ...options }
  }

  /** Undefined if the package is not installed. */
  static find(options: CompilerOptions = {}): SolidityCompiler | undefined {
    try {
      const module = createRequire(import.meta.url).resolve('solc/soljson.js')
      const { version } = JSON.parse(readFileSync(join(dirname(module), 'package.json'), 'utf8')) as { version: string }
      return new SolidityCompiler(module, version, options)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
      throw error
    }
  }

  /** @throws ApiError 400 `compilation-failed`, `compilation-too-large`; RetryableError */
  async compile({ sources, settings }: CompilerInput, signal: AbortSignal): Promise<CompilerOutput> {
    const outputs = ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode']
    const selected = outputs.map((name) =>
      name.startsWith('evm') ? [`${name}.object`, `${name}.linkReferences`] : name,
    )
    const input = {
      language: 'Solidity',
      sources,
      settings: {
        ...settings,
        outputSelection: { '*': { '*': [...selected.flat(), 'evm.deployedBytecode.immutableReferences'] } },
      },
    }
    const text = await this.#run(JSON.stringify(input), signal)
    const end = text.indexOf('\n')
    const { errors, contracts } = outputSchema.parse(JSON.parse(text.slice(end + 1)))
    if (errors.length > 0) {
      const messages = errors.map((one) => one.formattedMessage.trim().slice(0, maxErrorLength))
      throw new ApiError(400, 'compilation-failed', `The source does not compile: ${messages.join('\n')}`)
    }
    return { version: text.slice(0, end).replace(/\.Emscripten.*$/, ''), contracts }
  }

  /** In a process without environment, file and network access of its own. */
  async #run(input: string, signal: AbortSignal): Promise<string> {
    const { timeLimitMs, maxMemoryPages, maxOutputBytes } = this.#options
    const child = spawn(
      process.execPath,
      [
        '--permission',
        `--allow-fs-read=${dirname(this.#module)}`,
        `--allow-fs-read=${program}`,
        `--max-old-space-size=${maxHeapMb}`,
        `--wasm-max-mem-pages=${maxMemoryPages}`,
        program,
        this.#module,
        String(maxErrors),
        String(maxAbiBytes),
      ],
      { env: {}, stdio: ['pipe', 'pipe', 'ignore'] },
    )
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const end = (error: Error): void => {
      reject(error)
      child.kill('SIGKILL')
    }
    const tooLarge = (text: string): void =>
      end(new ApiError(400, 'compilation-too-large', `The compilation ${text}. Verify fewer or smaller sources.`))
    const timer = setTimeout(() => tooLarge(`takes longer than ${timeLimitMs / 1000} s`), timeLimitMs)
    const abort = (): void => end(signal.reason instanceof Error ? signal.reason : new Error('the client disconnected'))
    signal.addEventListener('abort', abort)
    const pieces: Buffer[] = []
    let length = 0
    child.stdout.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > maxOutputBytes) tooLarge(`returns more than ${maxOutputBytes} bytes`)
      else pieces.push(piece)
    })
    // A process that ends early breaks the pipe; `close` reports it.
    child.stdin.on('error', () => undefined)
    child.once('error', (cause) =>
      reject(new RetryableError('compiler-failed', 'Could not start the compiler', { cause })),
    )
    child.once('close', (exitCode) => {
      if (exitCode === 0) resolve(Buffer.concat(pieces).toString('utf8'))
      else tooLarge('ran out of memory')
    })
    lowerPriorityOf(child)
    child.stdin.end(input)
    try {
      signal.throwIfAborted()
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }
}
