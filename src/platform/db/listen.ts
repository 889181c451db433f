import { escapeIdentifier } from 'pg'
import { asError } from '../errors.ts'
import { backoffMs, pause } from '../retry.ts'
import { DedicatedConnection, type DedicatedConnectionOptions } from './dedicated-connection.ts'
import type pg from 'pg'

export interface ListenOptions extends DedicatedConnectionOptions {
  signal: AbortSignal
  /** Notifications may have been missed: re-read the state. */
  onReconnect: () => void
  onError?: (error: Error) => void
  baseMs?: number
  maxMs?: number
}

export interface Listener {
  /** Never rejects. */
  readonly ended: Promise<void>
}

/**
 * Resolves when it first listens; reconnects after a loss. The heartbeat checks the session's
 * channels, which detects poolers that replaced the session. Notifications are hints: they may be
 * lost or repeated.
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
    await pause(backoffMs(attempt + 1, baseMs, maxMs), signal).catch(() => undefined)
  }
}

function startHeartbeat(connection: DedicatedConnection, channels: readonly string[]): void {
  connection.startHeartbeat(async (client) => {
    const { rows } = await client.query<{ channel: string }>('SELECT pg_listening_channels() AS channel')
    const active = new Set(rows.map((row) => row.channel))
    const missing = channels.filter((channel) => !active.has(channel))
    if (missing.length > 0) throw new Error(`the session does not listen on ${missing.join(', ')}`)
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Wakes the coordinator: ranges were completed, or an operator changed something. */
export const farmChannel = 'flowfarm_farm'

/** Payload after all workers have derived new blocks without the coordinator. */
export const headDerived = 'head-derived'

/** Payload after changes of rows used by responses about settled heights. */
export const rowsChanged = 'rows-changed'

/**
 * Notified in the transaction that changes rows of an own worker. Payload: worker, first height and
 * end (exclusive; `Number.MAX_SAFE_INTEGER` after a rollback), separated by spaces.
 */
export const ownRowsChannel = 'own_rows'

export async function announceFarmWork(db: pg.Pool | pg.ClientBase): Promise<void> {
  await db.query({ name: 'farm-announce', text: `select pg_notify('${farmChannel}', '')` })
}

/** Wakes the coordinator and has servers drop cached responses about settled heights. */
export async function announceChangedRows(db: pg.Pool | pg.ClientBase): Promise<void> {
  await db.query({ name: 'farm-announce-change', text: `select pg_notify('${farmChannel}', '${rowsChanged}')` })
}
