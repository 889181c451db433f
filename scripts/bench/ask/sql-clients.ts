import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'

/**
 * Many who ask the query service at the same time, each again as soon as it has its answer, until standard input ends; then prints what
 * they got, as JSON.
 *
 *     node sql-clients.ts <port> <clients>      statements on stdin, one a line
 */
export interface ClientsResult {
  /** Answers by their status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly seconds: number
}

const [port = '0', clients = '500'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(clients) })
const statuses: Record<string, number> = {}
const statements: string[] = []
process.stdin
  .setEncoding('utf8')
  .on('data', (text: string) => statements.push(...text.split('\n').filter((line) => line !== '')))
await once(process.stdin, 'data')
const begin = performance.now()
await Promise.all(
  Array.from({ length: Number(clients) }, async (_, client) => {
    for (let turn = client; !process.stdin.readableEnded; turn += 1)
      await ask(statements[turn % statements.length] ?? 'select 1')
  }),
)
const result: ClientsResult = { statuses, seconds: (performance.now() - begin) / 1000 }
process.stdout.write(JSON.stringify(result))
agent.destroy()

async function ask(sql: string): Promise<void> {
  const sent = request({
    host: '127.0.0.1',
    port: Number(port),
    path: '/api/v1/run_sql',
    method: 'POST',
    agent,
    headers: { 'Content-Type': 'application/json' },
  })
  sent.end(JSON.stringify({ sql }))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  const status = String(response.statusCode)
  statuses[status] = (statuses[status] ?? 0) + 1
}
