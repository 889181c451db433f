import { connect } from 'node:net'

/**
 * A minimal HTTP client that uses little CPU; prints JSON.
 *
 *     node api-load.ts <port> <connections> <seconds>      paths on standard input, one a line
 */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
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
let [failures, next] = [0, 0]
const begin = performance.now()
const end = begin + Number(seconds) * 1000
await Promise.all(Array.from({ length: Number(connections) }, sendAll))
const took = (performance.now() - begin) / 1000
times.sort((a, b) => a - b)
const quantile = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
const result: LoadResult = {
  requests: times.length,
  seconds: took,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  failures,
}
process.stdout.write(JSON.stringify(result))

async function sendAll(): Promise<void> {
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
    send()
  })
  await done.promise
  socket.destroy()
}
