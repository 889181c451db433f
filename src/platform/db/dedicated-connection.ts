import { Socket } from 'node:net'
import { Client, type Pool } from 'pg'
import { asError } from '../errors.ts'
import { asDatabaseError } from './errors.ts'
import { clientConfig } from './pool.ts'

export interface DedicatedConnectionOptions {
  /** Shown in pg_stat_activity. Default `flowfarm`, or the pool's. */
  applicationName?: string | undefined
  /** How often the connection is asked for a sign of life. Default 10,000 ms. */
  heartbeatMs?: number | undefined
  /** How long any answer may take. Default 10,000 ms: a dead connection is noticed within 20 s. */
  answerTimeoutMs?: number | undefined
  /** Ends the connecting; afterwards it has no effect. */
  signal?: AbortSignal | undefined
}

/**
 * A connection that is kept for what lives in its session (a lock, LISTEN), and that tells when it is gone.
 *
 *     open ──error, end, no answer in time, wrong answer──► lost ──close()──► closed
 *       └───────────────────────close()──────────────────────────────────────►
 *
 * A connection can die without a word (a cable, a firewall, a fail-over), and one that only waits would never notice:
 * so it is asked something from time to time, and the server is told to look for a dead peer as often. A process that
 * stands still keeps its connections: from one that asks nothing for long the server takes the session, and its locks.
 */
export class DedicatedConnection {
  readonly client: Client
  readonly #lost = new AbortController()
  readonly #heartbeatMs: number
  readonly #socket: Socket
  #heartbeat: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  private constructor(client: Client, socket: Socket, heartbeatMs: number) {
    this.client = client
    this.#socket = socket
    this.#heartbeatMs = heartbeatMs
    client.on('error', (error) => this.#lose(error))
    client.on('end', () => this.#lose(new Error('the connection to the database ended')))
  }

  /** Connects. Of a pool only the settings are used. Throws errors of our tree, or the signal's reason. */
  static async open(target: string | Pool, options: DedicatedConnectionOptions = {}): Promise<DedicatedConnection> {
    const { heartbeatMs = 10_000, answerTimeoutMs = 10_000, applicationName, signal } = options
    // Ours, because a client can only end politely, which takes an answer.
    const socket = new Socket()
    const client = new Client({
      ...(typeof target === 'string' ? clientConfig(target) : target.options),
      ...(applicationName === undefined ? {} : { application_name: applicationName }),
      // The client's own clock: it ends the waiting even when nothing comes back from the network.
      query_timeout: answerTimeoutMs,
      stream: () => socket,
    })
    const connection = new DedicatedConnection(client, socket, heartbeatMs)
    const giveUp = (): void => void socket.destroy()
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      signal?.throwIfAborted()
      await client.connect()
      await client.query(
        `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
         SET idle_session_timeout = ${heartbeatMs + answerTimeoutMs}`,
      )
      return connection
    } catch (error) {
      await connection.close()
      signal?.throwIfAborted()
      throw asDatabaseError(error)
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Aborted with the reason as soon as the connection is known to be gone; not by `close`. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /**
   * From now on asks the server for a sign of life; `check` throws when the answer is wrong. The client must not be
   * used for anything else from here on, because `pg` queues behind a query that hangs.
   */
  startHeartbeat(check: (client: Client) => Promise<unknown>): void {
    const beat = async (): Promise<void> => {
      try {
        await check(this.client)
        if (this.#closed === undefined && !this.lost.aborted)
          this.#heartbeat = setTimeout(() => void beat(), this.#heartbeatMs)
      } catch (error) {
        this.#lose(asError(error))
      }
    }
    this.#heartbeat = setTimeout(() => void beat(), this.#heartbeatMs)
  }

  /** Ends the session, and with it its locks. Resolves even when the network does not answer. */
  close(): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }

  async #end(): Promise<void> {
    clearTimeout(this.#heartbeat)
    let impatience: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      impatience = setTimeout(resolve, 1000)
    })
    await Promise.race([this.client.end(), patience])
    clearTimeout(impatience)
    this.#socket.destroy()
  }

  #lose(error: Error): void {
    if (this.#closed !== undefined || this.lost.aborted) return
    clearTimeout(this.#heartbeat)
    this.#lost.abort(asDatabaseError(error))
  }
}
