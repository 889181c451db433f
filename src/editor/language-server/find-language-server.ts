import { execFile, spawn } from 'node:child_process'
import { access, constants, stat, mkdtemp, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, isAbsolute, resolve, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { RequestMessage } from 'vscode-jsonrpc'
import { StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js'
import type { InitializeResult } from 'vscode-languageserver-protocol'
import { parserServerName } from '../parser/parser-server.ts'
import { asError, FatalError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'

/** LSP over stdin and stdout with `Content-Length`. */
export interface LanguageServerProgram {
  /** `parser`: built in; syntax and names of a file only. */
  readonly kind: 'cli' | 'parser'
  /** Such as `Cadence 1.0 parser: syntax only`. */
  readonly label: string
  readonly command: string
  readonly args: readonly string[]
  /** This process's environment has secrets and is not passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly initializationOptions?: unknown
}

interface FindLanguageServerOptions {
  readonly choice: 'auto' | 'cli' | 'parser'
  /** A name on PATH, or a path. */
  readonly command: string
  readonly log: Logger
  /** Timeout of `initialize`. Default 20,000 ms. */
  readonly startMs?: number
}

/** @throws FatalError if `cli` is required and does not work */
export async function findLanguageServer({
  choice,
  command,
  log,
  startMs = 20_000,
}: FindLanguageServerOptions): Promise<LanguageServerProgram> {
  if (choice === 'parser') return parserProgram()
  try {
    const program = cliProgram(await locateProgram(command))
    const name = await tryProgram(program, startMs)
    const found = { ...program, label: name ?? program.label }
    log.info({ languageServer: found.label, command }, 'Using the language server of the CLI')
    return found
  } catch (thrown) {
    const error = asError(thrown)
    const why = `Cannot use the language server of the CLI: ${command} cadence language-server ${error.message}`
    if (choice === 'cli') {
      const remedy = 'Set CHAIN_CLI_COMMAND to a `flow` program, or EDITOR_LANGUAGE_SERVER to parser.'
      throw new FatalError('no-language-server', `${why}. ${remedy}`, { cause: error })
    }
    const fallback = parserProgram()
    const remedy = 'The editor reports only syntax errors, without types. Install the Flow CLI or set CHAIN_CLI_COMMAND'
    // The page shows which checker is used.
    log.info({ languageServer: fallback.label, command }, `${why}. ${remedy}`)
    return fallback
  }
}

/** Imports are files of the workspace. */
function cliProgram(command: string): LanguageServerProgram {
  return {
    kind: 'cli',
    label: `Cadence, by ${basename(command)}`,
    command,
    args: ['cadence', 'language-server', '--enable-flow-client=false'],
    // Crash reports would send users' code to the vendor.
    initializationOptions: { accessCheckMode: 'strict', reportCrashes: false },
  }
}

/** @throws Error whose message follows the command, such as "not found: …" */
export async function locateProgram(command: string): Promise<string> {
  const path = command.includes('/') ? resolve(command) : await onPath(command)
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (path === undefined || found === undefined)
    throw new Error(`not found: no program ${command}${command.includes('/') ? '' : ' on PATH'}`)
  if (!found.isFile()) throw new Error(`cannot run: ${path} is not a file`)
  await access(path, constants.X_OK).catch((error: unknown) => {
    throw new Error(`cannot run: ${path} is not executable`, { cause: error })
  })
  return path
}

async function onPath(name: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', name])
    const path = stdout.trim()
    // Shell builtins have no path.
    return isAbsolute(path) ? path : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return undefined
    throw error
  }
}

export function parserProgram(): LanguageServerProgram {
  return {
    kind: 'parser',
    label: parserServerName,
    command: process.execPath,
    args: [fileURLToPath(new URL('../parser/main.ts', import.meta.url))],
  }
}

/** This process's environment has secrets. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const initializeId = 1
const maxNameLength = 80
const maxErrorCharacters = 300

/** @returns the server's name, if any. @throws Error that says what failed */
async function tryProgram(program: LanguageServerProgram, timeoutMs: number): Promise<string | undefined> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'language-server-')))
  try {
    return await tryIn(folder, program, timeoutMs)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tryIn(
  folder: string,
  { command, args, env, initializationOptions }: LanguageServerProgram,
  timeoutMs: number,
): Promise<string | undefined> {
  const child = spawn(command, [...args], {
    cwd: folder,
    env: { PATH: systemPath, HOME: homedir(), TMPDIR: tmpdir(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-maxErrorCharacters)
  })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  const ended = Promise.withResolvers<undefined>()
  child.on('error', (error) => {
    failed.reject(
      'code' in error && error.code === 'ENOENT'
        ? new Error('not found')
        : new Error(`does not start: ${error.message}`),
    )
    ended.resolve(undefined)
  })
  child.on('close', (code, signal) => {
    failed.reject(new Error(`exited with ${code ?? signal ?? '?'}${output.trim() === '' ? '' : `: ${output.trim()}`}`))
    ended.resolve(undefined)
  })
  // A program that does not read has exited or will time out.
  child.stdin.on('error', () => undefined)
  // A connection object leaves failed writes unhandled.
  const reader = new StreamMessageReader(child.stdout)
  const answered = Promise.withResolvers<unknown>()
  answered.promise.catch(() => undefined)
  reader.onError((error) => answered.reject(new Error(`does not speak LSP: ${error.message}`)))
  reader.listen((message) => {
    if ('id' in message && message.id === initializeId && !('method' in message))
      answered.resolve('result' in message ? message.result : undefined)
  })
  const timer = setTimeout(() => failed.reject(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs)
  try {
    const request: RequestMessage = {
      jsonrpc: '2.0',
      id: initializeId,
      method: 'initialize',
      params: { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {}, initializationOptions },
    }
    // The exit reports why.
    new StreamMessageWriter(child.stdin).write(request).catch(() => undefined)
    const { capabilities, serverInfo } = ((await Promise.race([answered.promise, failed.promise])) ??
      {}) as Partial<InitializeResult>
    if (typeof capabilities !== 'object' || capabilities === null) throw new Error('is not a language server')
    return typeof serverInfo?.name === 'string' && serverInfo.name !== ''
      ? serverInfo.name.slice(0, maxNameLength)
      : undefined
  } finally {
    clearTimeout(timer)
    reader.dispose()
    endGroup(child.pid)
    await ended.promise
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
