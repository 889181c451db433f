import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tellParent } from '../../support/tell-parent.ts'

/**
 * Receives webhooks for the bench, in a process of its own: answers 204 at once, below /slow after 5 s, and tells its parent when
 * each came. Messages are kept in lists, so that the telling costs little.
 */

/** What came since the parent was told last: id, height of the block, and when (`Date.now()`). */
let came: [id: string, height: number, at: number][] = []

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      if (request.url?.startsWith('/slow') === true) {
        setTimeout(() => response.writeHead(204).end(), 5000)
        return
      }
      response.writeHead(204).end()
      const height = Number(/"block_height":(\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1])
      came.push([String(request.headers['webhook-id']), height, Date.now()])
    })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => tellParent({ port: (server.address() as AddressInfo).port }))
setInterval(() => {
  if (came.length === 0) return
  tellParent({ came })
  came = []
}, 20)
process.once('disconnect', () => process.exit())
