/** A frame is its length (4 bytes, big-endian) and JSON in UTF-8. */

export const headerBytes = 4

export function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const header = Buffer.allocUnsafe(headerBytes)
  header.writeUInt32BE(body.length)
  return Buffer.concat([header, body])
}

/** To the process of a worker. */
export type HostRequest =
  | { readonly kind: 'load'; readonly folder: string; readonly entry: string; readonly timeoutMs: number }
  | {
      readonly kind: 'derive'
      readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[]
      readonly events: readonly EventFrame[]
      readonly timeoutMs: number
    }

export type EventFrame = readonly [
  name: string,
  type: string,
  height: number,
  timestampMs: number,
  txIndex: number,
  transactionId: string,
  index: number,
  fields: unknown,
]

/** The reply of an honest process. The receiver checks every field. */
export type HostReply =
  | { readonly kind: 'loaded'; readonly definition: unknown; readonly files: readonly (readonly [string, string])[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly [table: number, event: number, values: unknown[]])[] }
  | { readonly kind: 'log'; readonly lines: readonly (readonly [level: string, text: string])[] }
  | { readonly kind: 'done' }
  | HostErrorReply

export interface HostErrorReply {
  readonly kind: 'error'
  /** Number of the event in the batch. */
  readonly event: number | null
  readonly isTimeout: boolean
  readonly message: string
  readonly stack: string
}
