import { Socket } from 'node:net'
import { Client, type Pool } from 'pg'
import { asError } from '../errors.ts'
import { asDatabaseError } from './errors.ts'
import { clientConfig } from './pool.ts'

export interface DedicatedConnectionOptions {
  /** Shown in pg_stat_activity. Default `flowfarm`, or that of the pool. */
  applicationName?: string | undefined
  /** Default 10,000 ms. */
  heartbeatMs?: number | undefined
  /** Response timeout. Default 10,000 ms: a dead connection is noticed within 20 s. */
  answerTimeoutMs?: number | undefined
  /** Cancels connecting only. */
  signal?: AbortSignal | undefined
}

/**
 * A connection for session state (a lock, LISTEN) that reports its loss.
 *
 * It sends heartbeats, since a half-open connection (cable, firewall, fail-over) is otherwise never noticed, and
 * has the server probe for a dead peer as often. If the process stalls, the server ends the session and releases
 * its locks.
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
    client.on('end', () => this.#lose(new Error('the database connection was closed')))
  }

  /** Connects. Only the settings of a pool are used. @throws FlowfarmError, or the reason of the signal */
  static async open(target: string | Pool, options: DedicatedConnectionOptions = {}): Promise<DedicatedConnection> {
    const { heartbeatMs = 10_000, answerTimeoutMs = 10_000, applicationName, signal } = options
    // Allows to destroy the socket: `client.end` waits for the server.
    const socket = new Socket()
    const client = new Client({
      ...(typeof target === 'string' ? clientConfig(target) : target.options),
      ...(applicationName === undefined ? {} : { application_name: applicationName }),
      // Client-side timeout: works without any response from the network.
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

  /** Aborted with the reason when the connection is lost; not by `close`. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /**
   * Starts the heartbeat; `check` throws for a wrong response. Do not use the client otherwise afterwards: `pg`
   * queues behind a query that hangs.
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

  /** Ends the session and releases its locks. Resolves even without a response. */
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
