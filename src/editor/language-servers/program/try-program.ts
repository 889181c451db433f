import { spawn } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js'
import type { RequestMessage } from 'vscode-jsonrpc'
import type { InitializeResult } from 'vscode-languageserver-protocol'
import type { LanguageServerProgram } from '../language-server-program.ts'

/** The least that programs work with: nothing of this process's environment, which has secrets. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const initializeId = 1
const longestName = 80
const mostErrorCharacters = 300

/**
 * Starts a language server in an empty folder, waits for its answer to `initialize`, and ends it.
 * @returns the name that it gives itself; undefined where it gives none
 * @throws Error that says what it did instead, such as "is not there"
 */
export async function tryProgram(program: LanguageServerProgram, timeoutMs: number): Promise<string | undefined> {
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
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-mostErrorCharacters)
  })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  const ended = Promise.withResolvers<undefined>()
  child.on('error', (error) => {
    failed.reject(
      'code' in error && error.code === 'ENOENT'
        ? new Error('is not there: no such program')
        : new Error(`does not start: ${error.message}`),
    )
    ended.resolve(undefined)
  })
  child.on('close', (code, signal) => {
    failed.reject(new Error(`ended with ${code ?? signal ?? '?'}${said.trim() === '' ? '' : `: ${said.trim()}`}`))
    ended.resolve(undefined)
  })
  // A program that reads nothing of what it is given has ended, or will be said to be too slow.
  child.stdin.on('error', () => undefined)
  // Reader and writer without a connection, which would leave a failed write to nobody.
  const reader = new StreamMessageReader(child.stdout)
  const answered = Promise.withResolvers<unknown>()
  answered.promise.catch(() => undefined)
  reader.onError((error) => answered.reject(new Error(`does not speak as language servers do: ${error.message}`)))
  reader.listen((message) => {
    if ('id' in message && message.id === initializeId && !('method' in message))
      answered.resolve('result' in message ? message.result : undefined)
  })
  const timer = setTimeout(() => failed.reject(new Error(`does not answer within ${timeoutMs / 1000} s`)), timeoutMs)
  try {
    const request: RequestMessage = {
      jsonrpc: '2.0',
      id: initializeId,
      method: 'initialize',
      params: { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {}, initializationOptions },
    }
    // What cannot be written was ended before; its end tells why.
    new StreamMessageWriter(child.stdin).write(request).catch(() => undefined)
    const { capabilities, serverInfo } = ((await Promise.race([answered.promise, failed.promise])) ??
      {}) as Partial<InitializeResult>
    if (typeof capabilities !== 'object' || capabilities === null) throw new Error('answers, and is no language server')
    return typeof serverInfo?.name === 'string' && serverInfo.name !== ''
      ? serverInfo.name.slice(0, longestName)
      : undefined
  } finally {
    clearTimeout(timer)
    reader.dispose()
    endGroup(child.pid)
    await ended.promise
  }
}

/** Ends a program with all that it has started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
