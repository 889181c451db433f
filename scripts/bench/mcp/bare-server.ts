import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/**
 * What no MCP server can do without: takes a message over HTTP, reads it as JSON and answers with one row, by `node:http` alone. A process of its own, to be
 * forked; tells its port.
 */

const answer = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text: '{"columns":["one"],"rows":[{"one":1}]}' }] },
})

const server = createServer((request, response) => {
  void json(request).then(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer))
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
