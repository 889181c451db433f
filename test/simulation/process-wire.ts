import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

/** Where a server listens: a unix socket, or a port. */
export type WireEnd = { readonly path: string } | { readonly host: string; readonly port: number }

/**
 * All connections of one simulated process to one server: everything it sends and hears goes through here, so that from
 * the outside it can be killed or stopped like a real one.
 *
 *     open ──freeze()──► frozen (nothing passes, nothing is lost) ──thaw()──► open
 *       └──sever()──► severed: all sockets are gone at once, and none is ever opened again
 *
 * What was on its way to the server when the wire was severed may or may not have arrived, as with a killed process.
 */
export class ProcessWire {
  readonly #path: string
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isFrozen = false
  #isSevered = false

  private constructor(path: string, target: WireEnd) {
    this.#path = path
    this.#server = createServer((near) => {
      if (this.#isSevered) {
        near.destroy()
        return
      }
      this.#join(near, connect(target))
    })
  }

  /** A wire to `target` that begins at the unix socket `path`. */
  static async open(path: string, target: WireEnd): Promise<ProcessWire> {
    const wire = new ProcessWire(path, target)
    wire.#server.listen(path)
    await once(wire.#server, 'listening')
    return wire
  }

  freeze(): void {
    this.#isFrozen = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  thaw(): void {
    this.#isFrozen = false
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  /** Ends all connections; new ones may be made. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
    this.#pairs.clear()
  }

  /** Ends all connections, and lets nobody connect any more. */
  async sever(): Promise<void> {
    if (this.#isSevered) return
    this.#isSevered = true
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
    await rm(this.#path, { force: true })
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const
    this.#pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', (chunk: Buffer) => void to.write(chunk))
      from.on('end', () => to.end())
      from.on('error', () => from.destroy())
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroy()
      })
      if (this.#isFrozen) from.pause()
    }
  }
}
