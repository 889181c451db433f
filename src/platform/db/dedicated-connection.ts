import { Socket } from 'node:net'
import { Client, type Pool } from 'pg'
import { asError } from '../errors.ts'
import { asDatabaseError } from './errors.ts'
import { clientConfig } from './pool.ts'

export interface DedicatedConnectionOptions {
  applicationName?: string | undefined
  heartbeatMs?: number | undefined
  answerTimeoutMs?: number | undefined
  /** Cancels connecting only. */
  signal?: AbortSignal | undefined
}

/**
 * A connection for session state (a lock, LISTEN) that reports its loss. Heartbeats detect a
 * half-open connection. If the process stalls, the server ends the session and releases its locks.
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

  /** Only the settings of a pool are used. @throws FlowfarmError, or the reason of the signal */
  static async open(target: string | Pool, options: DedicatedConnectionOptions = {}): Promise<DedicatedConnection> {
    const { heartbeatMs = 10_000, answerTimeoutMs = 10_000, applicationName, signal } = options
    // `client.end` waits for the server.
    const socket = new Socket()
    const client = new Client({
      ...(typeof target === 'string' ? clientConfig(target) : target.options),
      ...(applicationName === undefined ? {} : { application_name: applicationName }),
      // Works without any response from the network.
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

  /** Not aborted by `close`. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /**
   * `check` throws for a wrong response. Do not use the client otherwise afterwards: `pg` queues
   * behind a query that hangs.
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

  /** Resolves even without a response. */
  close(): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }

  async #end(): Promise<void> {
    clearTimeout(this.#heartbeat)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, 1000)
    })
    await Promise.race([this.client.end(), timeout])
    clearTimeout(timer)
    this.#socket.destroy()
  }

  #lose(error: Error): void {
    if (this.#closed !== undefined || this.lost.aborted) return
    clearTimeout(this.#heartbeat)
    this.#lost.abort(asDatabaseError(error))
  }
}
