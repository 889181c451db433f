import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface HalfOpenProxy {
  /** The database behind it, over TCP. */
  readonly url: string
  /** From now on swallows everything in both directions and closes nothing, as a firewall does that forgot us. */
  freeze(): void
  /** New connections pass again; the frozen ones stay frozen. */
  thaw(): void
  /** Cuts all connections at once. */
  cut(): void
  close(): Promise<void>
}

/** A TCP proxy in front of the database at `url` that can make its connections half open. */
export async function startHalfOpenProxy(url: string): Promise<HalfOpenProxy> {
  const target = new URL(url)
  const host = decodeURIComponent(target.hostname)
  const port = Number(target.port || 5432)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isFrozen = false

  const server = createServer((near) => {
    if (isFrozen) {
      near.on('error', () => near.destroy())
      pairs.add([near, near])
      return
    }
    const far = host.startsWith('/') ? connect({ path: `${host}/.s.PGSQL.${port}` }) : connect({ host, port })
    const pair = [near, far] as const
    pairs.add(pair)
    near.pipe(far).pipe(near)
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        if (pairs.has(pair) && !isFrozen) other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const proxied = new URL(`postgresql://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`)
  proxied.username = target.username
  proxied.password = target.password
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    pairs.clear()
  }
  return {
    url: proxied.href,
    cut,
    freeze() {
      isFrozen = true
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        // Read and dropped, so that neither side sees a full window.
        near.resume()
        far.resume()
      }
    },
    thaw() {
      isFrozen = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    }
  }
}
