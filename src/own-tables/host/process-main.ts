import { createHash } from 'node:crypto'
import { readFileSync, readSync, writeSync } from 'node:fs'
import Module, { createRequire, isBuiltin, registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { Script } from 'node:vm'
import { frameOf, headerBytes } from './frames.ts'
import type { EventFrame, HostReply, HostRequest } from './frames.ts'
import { maxErrorLength, maxLogLength, maxLogLines, rowsFrameLength } from './limits.ts'

/*
 * The process of one worker: reads requests from standard input and answers on descriptor 3. It
 * runs foreign code, so whatever it sends is checked by the receiver.
 *
 * Node's permission model refuses files outside the worker's folder, child processes, threads,
 * add-ons and the inspector. It does not cover sockets and signals (Node 24): the code below hides
 * them, which stops ordinary code, but not code that escapes from JavaScript.
 */

const [input, output] = [0, 3]
const ownProcess = process

/** Pure, or without effects outside the process. */
const allowedModules =
  /^(?:node:)?(?:assert|buffer|crypto|events|path|punycode|querystring|string_decoder|url|util|zlib)(?:\/.*)?$/

const defineWorkerUrl = new URL('../define-worker.ts', import.meta.url).href

/** By a path that is the same on every machine. */
const files = new Map<string, string>()
let folderUrl = ''
let entryUrl = ''
let entrySource = ''
let isLoading = false

function refused(what: string): Error {
  return new Error(`${what}. A worker is a pure function of its events.`)
}

function installHooks(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'flowfarm/worker') return { url: defineWorkerUrl, shortCircuit: true }
      if (specifier === fileURLToPath(entryUrl)) return { url: entryUrl, format: 'module', shortCircuit: true }
      if (isBuiltin(specifier) && !allowedModules.test(specifier)) throw refused(`Could not import ${specifier}`)
      return next(specifier, context)
    },
    load(url, context, next) {
      if (url === entryUrl) return { format: 'module', source: entrySource, shortCircuit: true }
      if (!url.startsWith('file:')) return next(url, context)
      if (!isLoading) throw refused(`Could not load ${url} while events are derived: import it at the top of the file`)
      if (url !== defineWorkerUrl) files.set(portablePath(url), sha256(readFileSync(fileURLToPath(url))))
      return next(url, context)
    },
  })
}

function portablePath(url: string): string {
  if (url.startsWith(folderUrl)) return url.slice(folderUrl.length)
  const packages = url.lastIndexOf('/node_modules/')
  return packages < 0 ? url : url.slice(packages + 1)
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Some packages read `process.env` or the version. */
function hideEffects(): void {
  const { arch, platform, version, versions } = process
  const facade = {
    arch,
    platform,
    version,
    versions,
    argv: [],
    env: {},
    cwd: () => '/',
    nextTick: queueMicrotask,
    emitWarning,
  }
  const hidden: Record<string, unknown> = { process: Object.freeze(facade), console: quietConsole() }
  for (const name of ['fetch', 'WebSocket', 'EventSource']) hidden[name] = undefined
  for (const [name, value] of Object.entries(hidden))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  // Reachable by `module.constructor` in CommonJS.
  for (const name of ['registerHooks', 'register', 'runMain']) Reflect.deleteProperty(Module, name)
}

function emitWarning(): void {
  // Not shown.
}

let lines: (readonly [string, string])[] = []
let lineCount = 0

function quietConsole(): Record<string, (...values: unknown[]) => void> {
  const writer =
    (level: string) =>
    (...values: unknown[]): void => {
      if (lineCount++ < maxLogLines) lines.push([level, format(...values).slice(0, maxLogLength)])
    }
  const [info, warn] = [writer('info'), writer('warn')]
  const other = Object.fromEntries(Object.keys(console).map((name) => [name, () => undefined]))
  return { ...other, log: info, info, debug: info, table: info, dir: info, warn, error: warn, trace: warn }
}

function sendLog(): void {
  if (lineCount > lines.length) lines.push(['warn', `${lineCount - lines.length} more lines`])
  if (lines.length > 0) send({ kind: 'log', lines })
  lines = []
  lineCount = 0
}

function readExactly(length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length)
  for (let position = 0; position < length;) {
    const count = readSync(input, bytes, position, length - position, null)
    if (count === 0) return undefined
    position += count
  }
  return bytes
}

/** Undefined when the parent has ended. Blocks, so nothing runs between requests. */
function receive(): HostRequest | undefined {
  const header = readExactly(headerBytes)
  const body = header === undefined ? undefined : readExactly(header.readUInt32BE())
  return body === undefined ? undefined : (JSON.parse(body.toString()) as HostRequest)
}

function send(reply: HostReply): void {
  write(frameOf(reply))
}

function write(bytes: Buffer): void {
  for (let position = 0; position < bytes.length;) position += writeSync(output, bytes, position)
}

let task = (): void => undefined
const taskName = '__flowfarmTask'
Object.defineProperty(globalThis, taskName, { value: () => task() })
const runTask = new Script(`${taskName}()`)

/** Ends endless loops also when the parent has been killed. */
function runLimited(timeoutMs: number, limited: () => void): void {
  task = limited
  runTask.runInThisContext({ timeout: timeoutMs })
}

type Derive = (event: object, write: object) => unknown

let derive: Derive | undefined

function load({ folder, entry }: HostRequest & { kind: 'load' }): void {
  folderUrl = pathToFileURL(`${folder}/`).href
  // A module in the folder, so that Node resolves `entry` by the rules for an import in it.
  entryUrl = `${folderUrl}flowfarm-entry.mjs`
  entrySource = `export { default } from ${JSON.stringify(entry)}`
  installHooks()
  hideEffects()
  isLoading = true
  const { default: definition } = createRequire(entryUrl)(fileURLToPath(entryUrl)) as { default?: unknown }
  isLoading = false
  if (typeof definition !== 'object' || definition === null)
    throw new Error('The default export is not a worker. Export the result of defineWorker()({ … })')
  const { derive: given, ...declaration } = definition as Record<string, unknown>
  if (typeof given !== 'function') throw new Error('derive is not a function')
  derive = given.bind(definition) as Derive
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  send({ kind: 'loaded', definition: declaration, files: sorted })
}

let currentEvent: number | null = null

function deriveAll({ tables, events }: HostRequest & { kind: 'derive' }): void {
  let rows: string[] = []
  let length = 0
  const flush = (): void => {
    if (rows.length > 0) {
      const body = Buffer.from(`{"kind":"rows","rows":[${rows.join()}]}`)
      const header = Buffer.allocUnsafe(headerBytes)
      header.writeUInt32BE(body.length)
      write(Buffer.concat([header, body]))
    }
    rows = []
    length = 0
  }
  const writers = tables.map(({ name, columns }, table) => {
    const known = new Set(columns)
    const writeRow = (row: unknown): void => {
      if (typeof row !== 'object' || row === null) throw new TypeError(`${name}: a row must be an object`)
      for (const column of Object.keys(row))
        if (!known.has(column)) throw new TypeError(`${name} has no column ${column}. Columns: ${columns.join(', ')}`)
      const values = columns.map((column) => plain((row as Record<string, unknown>)[column], `${name}.${column}`))
      const text = JSON.stringify([table, currentEvent, values], exact)
      rows.push(text)
      length += text.length
      if (length >= rowsFrameLength) flush()
    }
    return [name, writeRow] as const
  })
  const writer = Object.freeze(Object.fromEntries(writers))
  for (const [i, event] of events.entries()) {
    currentEvent = i
    const result = derive?.(eventOf(event), writer)
    if (typeof result === 'object' && result !== null && 'then' in result)
      throw new TypeError('derive returned a promise. Make it synchronous: remove async and await')
  }
  flush()
  currentEvent = null
}

function eventOf([name, type, height, timestampMs, txIndex, transactionId, index, fields]: EventFrame): object {
  return { name, type, height, timestamp: new Date(timestampMs), txIndex, transactionId, index, fields }
}

function plain(value: unknown, column: string): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`${column}: ${typeof value}`)
  return exact(column, value)
}

/** JSON has neither, and would store null. */
function exact(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${name}: ${value} is not a number`)
  return value
}

function errorReply(thrown: unknown): HostReply {
  const isTimeout = (thrown as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  return { kind: 'error', event: currentEvent, isTimeout, ...textsOf(thrown) }
}

/** The thrown value is foreign: its getters may throw. */
function textsOf(thrown: unknown): { readonly message: string; readonly stack: string } {
  try {
    const { message, stack, name } = thrown as Error
    const text = typeof message === 'string' ? `${name}: ${message}` : `threw ${format(thrown)}`
    return { message: text.slice(0, maxErrorLength), stack: (stack ?? '').slice(0, maxErrorLength) }
  } catch {
    return { message: 'threw a value without text', stack: '' }
  }
}

/** ms */
const errorTimeout = 1000

for (;;) {
  const request = receive()
  if (request === undefined) ownProcess.exit(0)
  else answer(request)
}

function answer(request: HostRequest): void {
  let reply: HostReply = { kind: 'done' }
  try {
    runLimited(request.timeoutMs, () => {
      if (request.kind === 'load') load(request)
      else deriveAll(request)
    })
  } catch (error) {
    runLimited(errorTimeout, () => {
      reply = errorReply(error)
    })
  }
  sendLog()
  send(reply)
}
