import { escapeIdentifier } from 'pg'
import { asError } from '../errors.ts'
import { backoffMs, pause } from '../retry.ts'
import { DedicatedConnection, type DedicatedConnectionOptions } from './dedicated-connection.ts'
import type pg from 'pg'

export interface ListenOptions extends DedicatedConnectionOptions {
  /** Ends the listening. */
  signal: AbortSignal
  /** Called after every re-connection: notifications may have been missed, so the owner reads the state anew. */
  onReconnect: () => void
  /** Told about each loss, each failed try and each error of the handler, for the log. */
  onError?: (error: Error) => void
  /** Upper bound of the first pause before connecting again. Default 100 ms. */
  baseMs?: number
  /** Upper bound of every pause before connecting again. Default 5,000 ms. */
  maxMs?: number
}

export interface Listener {
  /** Resolves when the listening has ended, which only the signal makes it do; never rejects. */
  readonly ended: Promise<void>
}

/**
 * Hears notifications on `channels` until the signal is aborted; resolves when it hears them for the first time.
 *
 *     connecting ──LISTEN done──► listening ──connection lost──► connecting …
 *          └──────────────────────────┴────────── signal ──────► ended
 *
 * The heartbeat asks the server which channels it listens to for us: that finds a dead connection, and also a pooler
 * that quietly gave us another session. A notification is a hint that may be lost or come twice, never the only copy of
 * anything. An error thrown by `handler` goes to `onError`.
 */
export async function listen(
  url: string,
  channels: readonly string[],
  handler: (channel: string, payload: string) => void,
  options: ListenOptions,
): Promise<Listener> {
  const { signal } = options
  const first = Promise.withResolvers<void>()
  const ended = keepListening(url, channels, handler, options, first.resolve)
  await Promise.race([first.promise, ended])
  signal.throwIfAborted()
  return { ended }
}

async function keepListening(
  url: string,
  channels: readonly string[],
  handler: (channel: string, payload: string) => void,
  options: ListenOptions,
  onFirst: () => void,
): Promise<void> {
  const { signal, onReconnect, onError = () => undefined, baseMs = 100, maxMs = 5000 } = options
  let hasListened = false
  for (let attempt = 1; !signal.aborted; attempt++) {
    let connection: DedicatedConnection | undefined
    try {
      connection = await DedicatedConnection.open(url, options)
      connection.client.on('notification', ({ channel, payload }) => {
        try {
          handler(channel, payload ?? '')
        } catch (error) {
          onError(asError(error))
        }
      })
      for (const channel of channels) await connection.client.query(`LISTEN ${escapeIdentifier(channel)}`)
      startHeartbeat(connection, channels)
      attempt = 0
      if (hasListened) onReconnect()
      else onFirst()
      hasListened = true
      await aborted(AbortSignal.any([signal, connection.lost]))
      if (!signal.aborted) onError(asError(connection.lost.reason))
    } catch (error) {
      if (!signal.aborted) onError(asError(error))
    } finally {
      await connection?.close()
    }
    // Rejects only when the signal is aborted, which ends the loop.
    await pause(backoffMs(attempt + 1, baseMs, maxMs), signal).catch(() => undefined)
  }
}

function startHeartbeat(connection: DedicatedConnection, channels: readonly string[]): void {
  connection.startHeartbeat(async (client) => {
    const { rows } = await client.query<{ channel: string }>('SELECT pg_listening_channels() AS channel')
    const heard = new Set(rows.map((row) => row.channel))
    const missing = channels.filter((channel) => !heard.has(channel))
    if (missing.length > 0) throw new Error(`the server does not listen to ${missing.join(', ')} for us`)
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Heard by the coordinator: ranges were done, or a person changed something, so there may be more to give out. */
export const farmChannel = 'flowfarm_farm'

/** Payload of the notification after a change of rows that answers about settled heights use. */
export const rowsChanged = 'rows-changed'

/** Wakes the coordinator; inside a transaction, when it commits. */
export async function announceFarmWork(db: pg.Pool | pg.ClientBase): Promise<void> {
  await db.query({ name: 'farm-announce', text: `select pg_notify('${farmChannel}', '')` })
}

/**
 * The same, and tells servers to drop cached answers about settled heights: heights will be derived again, or a
 * label or template has changed.
 */
export async function announceChangedRows(db: pg.Pool | pg.ClientBase): Promise<void> {
  await db.query({ name: 'farm-announce-change', text: `select pg_notify('${farmChannel}', '${rowsChanged}')` })
}
