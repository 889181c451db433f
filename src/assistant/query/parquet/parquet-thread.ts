import { parentPort } from 'node:worker_threads'
import { ApiError } from '../../../platform/errors.ts'
import type { SqlAnswer } from '../sql/sql-runner.ts'
import { ParquetBuilder } from './parquet-builder.ts'
import type { ParquetLimits, Written } from './parquet-builder.ts'

/** The first message starts a file, and one without rows ends it. */
export type ParquetMessage =
  | { readonly columns: SqlAnswer['columns']; readonly limits: ParquetLimits }
  | { readonly rows: SqlAnswer['rows'] | undefined }

export type ParquetReply = Written | { readonly code: string; readonly detail: string }

let builder: ParquetBuilder | undefined

function replyTo(message: ParquetMessage): ParquetReply {
  try {
    if ('columns' in message) builder = new ParquetBuilder(message.columns, message.limits)
    else if (message.rows === undefined) return { bytes: builder?.end() ?? new Uint8Array(), rowCount: 0 }
    else if (builder !== undefined) return builder.add(message.rows)
    return { bytes: new Uint8Array(), rowCount: 0 }
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, detail: error.message }
    throw error
  }
}

parentPort?.on('message', (message: ParquetMessage) => parentPort?.postMessage(replyTo(message), []))
