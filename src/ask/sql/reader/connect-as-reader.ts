import type { Pool, PoolClient } from 'pg'
import { isDeepStrictEqual } from 'node:util'
import type { Reader } from './choose-reader.ts'
import { isRefusedLogin } from './reader-login.ts'

export interface ReaderConnections {
  readonly pool: Pool
  /** As whom the pool connects. */
  readonly reader: Reader
  /** Finds the account anew, and makes it where it may. */
  readonly choose: () => Promise<Reader>
}

/**
 * Connects as the reader. Where its login was dropped, or given another password by a program whose connection string has another one, it is
 * made again, once for all that wait.
 * @returns a function that throws what the server said when that does not help
 */
export function connectAsReader({ pool, reader, choose }: ReaderConnections): () => Promise<PoolClient> {
  let choosing: Promise<Reader> | undefined
  return async () => {
    try {
      return await pool.connect()
    } catch (error) {
      if (!isRefusedLogin(error)) throw error
      choosing ??= choose().finally(() => {
        choosing = undefined
      })
      if (!isDeepStrictEqual(await choosing, reader)) throw error
      return await pool.connect()
    }
  }
}
