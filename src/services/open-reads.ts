import { RetryableError } from '../base/errors.ts'
import { pause } from '../base/retry.ts'
import { connectionLimits } from '../db/connection-limits.ts'
import { isConnectionLost } from '../db/errors.ts'
import { createPool, logIdleErrors } from '../db/pool.ts'
import { readableAtOnce, untilReplayed, whenReplayed } from '../db/when-replayed.ts'
import type { WhenReadable } from '../db/when-replayed.ts'
import type { ServiceContext } from './context.ts'

/** Where the API reads. */
export interface Reads {
  readonly url: string
  readonly whenReadable: WhenReadable
}

/** How long a standby may take at the start to be reached and to have what the primary has, ms. */
const patienceMs = 5000

/**
 * The database of DB_READ_URL, once it has what the other one has, migrations included; else that of DB_URL.
 * @throws RetryableError `reads-unavailable` after five seconds
 */
export async function openReads({
  config,
  databaseUrl,
  pool: primary,
  log,
  lifecycle,
}: ServiceContext): Promise<Reads> {
  const url = config.DB_READ_URL
  if (url === undefined) return { url: databaseUrl, whenReadable: readableAtOnce }
  const reads = createPool(url, {
    ...connectionLimits,
    max: 1,
    applicationName: 'flowfarm replay',
    onIdleError: logIdleErrors(log, 'the connection to the database of DB_READ_URL was lost'),
  })
  lifecycle.onStop('connection to the standby', () => reads.end())
  const { signal } = lifecycle
  const impatience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  for (;;) {
    try {
      await untilReplayed({ primary, reads, signal: impatience })
      break
    } catch (cause) {
      signal.throwIfAborted()
      if (impatience.aborted) {
        throw new RetryableError(
          'reads-unavailable',
          'The database of DB_READ_URL cannot be reached, or does not get what is written to that of DB_URL.',
          { cause },
        )
      }
      if (!isConnectionLost(cause)) throw cause
      await pause(100, signal)
    }
  }
  return {
    url,
    whenReadable: whenReplayed({
      primary,
      reads,
      signal,
      onTrouble: (err) => log.warn({ err }, 'how far the database of DB_READ_URL is cannot be found out, trying again'),
    }),
  }
}
