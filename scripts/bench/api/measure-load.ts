import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { cpuSeconds } from '../process-usage.ts'

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
}

export interface MeasuredLoad extends LoadResult {
  readonly requestsPerSecond: number
  /** Processor time of the API for a request. */
  readonly nodeMs: number
}

/** Asks for the paths in turn, over and over. @throws if an answer is not 200 */
export async function measureLoad(
  { port, pid }: { readonly port: number; readonly pid: number },
  paths: readonly string[],
  { seconds, connections }: LoadOptions,
): Promise<MeasuredLoad> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'measure-load.ts'), String(port), String(connections), String(seconds)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const before = cpuSeconds(pid)
  child.stdin.end(paths.join('\n'))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const spent = cpuSeconds(pid) - before
  const result = JSON.parse(output) as LoadResult
  if (result.failures > 0) throw new Error(`${result.failures} answers were no 200, of ${paths[0] ?? ''} and others`)
  return { ...result, requestsPerSecond: result.requests / result.seconds, nodeMs: (spent * 1000) / result.requests }
}

/**
 * Asks a server over some connections, each again as soon as it has its answer, and prints what came out as JSON. An HTTP client that
 * knows nothing but what it needs: the real ones take as much of the processor as the server that is measured.
 *
 *     node load.ts <port> <connections> <seconds>      paths on stdin, one a line
 */
interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Bytes of an answer in the mean, head included. */
  readonly bytes: number
  /** Answers that were not 200. */
  readonly failures: number
}

const [port = '0', connections = '16', seconds = '5'] = process.argv.slice(2)
const paths = (await Array.fromAsync(process.stdin.setEncoding('utf8') as AsyncIterable<string>)).join('').split('\n')
const requests = paths
  .filter((path) => path !== '')
  .map((path) => {
    return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n`)
  })
const times: number[] = []
let [bytes, failures, next] = [0, 0, 0]
const begin = performance.now()
const end = begin + Number(seconds) * 1000
await Promise.all(Array.from({ length: Number(connections) }, ask))
const took = (performance.now() - begin) / 1000
times.sort((a, b) => a - b)
const quantile = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
const result: LoadResult = {
  requests: times.length,
  seconds: took,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  bytes: bytes / times.length,
  failures,
}
process.stdout.write(JSON.stringify(result))

async function ask(): Promise<void> {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
  const done = Promise.withResolvers<void>()
  let [sentAt, need, got] = [0, -1, 0]
  let head = ''
  const send = (): void => {
    const request = requests[next++ % requests.length]
    if (request === undefined || performance.now() > end) {
      socket.end()
      done.resolve()
      return
    }
    ;[sentAt, need, got, head] = [performance.now(), -1, 0, '']
    socket.write(request)
  }
  socket.on('connect', send)
  socket.on('error', done.reject)
  socket.on('data', (chunk: Buffer) => {
    got += chunk.length
    if (need < 0) {
      head += chunk.toString('latin1')
      const headEnd = head.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (length === undefined) {
        done.reject(new Error(`an answer without Content-Length: ${head.slice(0, headEnd)}`))
        return
      }
      need = headEnd + 4 + Number(length)
      if (!head.startsWith('HTTP/1.1 200')) failures++
    }
    if (got < need) return
    times.push(performance.now() - sentAt)
    bytes += got
    send()
  })
  await done.promise
  socket.destroy()
}
