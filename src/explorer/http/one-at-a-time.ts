import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

/** Requests that may wait behind another one on their connection. */
const mostWaiting = 100

/**
 * Takes the requests of a connection one after another, as their answers have to be sent. Node hands over at once what a
 * client has written without waiting for answers: thousands of requests would be worked on together, their answers kept in
 * memory behind the first one, and all for a client that may be gone. Who has more than a hundred waiting is cut off.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  /** What waits, by connection, for those on which something is worked on. */
  const waiting = new WeakMap<Socket, Exchange[]>()

  function begin(exchange: Exchange, socket: Socket): void {
    exchange[1].once('close', () => next(socket))
    handle(...exchange)
  }

  function next(socket: Socket): void {
    const exchange = socket.destroyed ? undefined : waiting.get(socket)?.shift()
    if (exchange === undefined) waiting.delete(socket)
    else begin(exchange, socket)
  }

  return (request, response) => {
    const { socket } = request
    const line = waiting.get(socket)
    if (line === undefined) {
      waiting.set(socket, [])
      begin([request, response], socket)
    } else if (line.length < mostWaiting) line.push([request, response])
    else socket.destroy()
  }
}
