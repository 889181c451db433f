/**
 * Channel clients in a separate thread, so that their CPU time is not attributed to the channel.
 * Each sends its messages at once.
 */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { WebSocket } from 'ws'

export interface FloodOptions {
  readonly port: number
  readonly headers: Record<string, string>
  readonly connections: number
  /** Sent repeatedly in this order. */
  readonly messages: readonly string[]
  readonly messagesPerConnection: number
}

const { port, headers, connections, messages, messagesPerConnection } = workerData as FloodOptions
const sockets = await Promise.all(
  Array.from({ length: connections }, async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/lsp`, { headers })
    socket.on('error', () => undefined) // the channel may close it
    await once(socket, 'open')
    return socket
  }),
)
for (const socket of sockets) {
  for (let number = 0; number < messagesPerConnection; number++) socket.send(messages[number % messages.length] ?? '')
}
const main = parentPort
main?.postMessage('sent', [])
