import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface HalfOpenProxy {
  /** The server behind it, over TCP. */
  readonly url: string
  /**
   * Discards all data in both directions without closing, as a firewall does that lost its state.
   *
   * @param only current PostgreSQL sessions with this application_name
   */
  freeze(only?: string): void
  /** New connections pass again. Frozen ones stay frozen. */
  thaw(): void
  /** Closes all connections at once. */
  cut(): void
  /** Closes all connections and rejects new ones, as a stopped server does. */
  shut(): Promise<void>
  /** Reverts `shut`, at the same address. */
  reopen(): Promise<void>
  close(): Promise<void>
}

type Pair = readonly [Socket, Socket]

/** A TCP proxy for the PostgreSQL or Redis server at `url` that can make connections half-open. */
export async function startHalfOpenProxy(url: string): Promise<HalfOpenProxy> {
  const target = new URL(url)
  const host = decodeURIComponent(target.hostname)
  const port = Number(target.port || 5432)
  const pairs = new Set<Pair>()
  const names = new WeakMap<Pair, string>()
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
    near.once('data', (chunk: Buffer) => names.set(pair, applicationName(chunk)))
    near.pipe(far).pipe(near)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        if (pairs.has(pair) && !isFrozen) other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const { port: ownPort } = server.address() as AddressInfo
  const proxied = new URL(`${target.protocol}//127.0.0.1:${ownPort}${target.pathname}`)
  proxied.username = target.username
  proxied.password = target.password
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    pairs.clear()
  }
  const shut = async (): Promise<void> => {
    cut()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  return {
    url: proxied.href,
    cut,
    freeze(only) {
      isFrozen = only === undefined
      for (const pair of pairs) {
        if (only !== undefined && names.get(pair) !== only) continue
        const [near, far] = pair
        near.unpipe(far)
        far.unpipe(near)
        // Read and dropped, so that neither side has a full window.
        near.resume()
        far.resume()
      }
    },
    thaw() {
      isFrozen = false
    },
    shut,
    async reopen() {
      server.listen(ownPort, '127.0.0.1')
      await once(server, 'listening')
    },
    close: shut,
  }
}

/**
 * From the startup message, the first one of a PostgreSQL client: pairs of zero-terminated strings.
 */
function applicationName(startup: Buffer): string {
  const texts = startup.toString('latin1', 8).split('\0')
  const at = texts.indexOf('application_name')
  return at === -1 ? '' : (texts[at + 1] ?? '')
}
