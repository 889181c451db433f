import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

/** The address of a server: a unix socket or a port. */
export type WireEnd = { readonly path: string } | { readonly host: string; readonly port: number }

/**
 * All connections of one simulated process to one server pass through here, so that the process can
 * be killed or frozen like a real one.
 *
 *     open ──freeze()──► frozen (no traffic, no loss) ──thaw()──► open
 *       └──sever()──► severed: all sockets are closed, and no new ones are accepted
 *
 * Data in transit to the server at `sever()` may or may not have arrived, as with a killed process.
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

  /** A proxy to `target` that listens at the unix socket `path`. */
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

  /** Ends all connections; accepts new ones. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
    this.#pairs.clear()
  }

  /** Ends all connections; rejects new ones. */
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
