import { FlowfarmError } from '../platform/errors.ts'

/**
 * - `ccf-malformed`: bytes that the CCF specification does not allow at `offset`
 * - `ccf-truncated`: the payload ends inside a data item
 * - `json-cdc-malformed`: not JSON, or JSON that is not a Cadence value
 * - `payload-too-deep`: nested deeper than `maxDepth`
 * - `payload-too-large`: an integer, a type text or the flattened text would pass its limit
 * - `payload-unknown-encoding`: the first byte belongs to neither encoding
 */
export type PayloadErrorCode =
  | 'ccf-malformed'
  | 'ccf-truncated'
  | 'json-cdc-malformed'
  | 'payload-too-deep'
  | 'payload-too-large'
  | 'payload-unknown-encoding'

/** Characters of a message: it may quote the payload. */
const messageLength = 300

/** An event payload that cannot be decoded: the event is stored raw and listed, the rest of its block goes on. */
export class PayloadError extends FlowfarmError {
  declare readonly code: PayloadErrorCode
  /** Where in the payload decoding stopped, in bytes; 0 where JSON text was read as a whole. */
  readonly offset: number

  constructor(code: PayloadErrorCode, message: string, offset: number, cause?: unknown) {
    super(code, `${message.slice(0, messageLength)} (at byte ${offset})`, { cause, details: { offset } })
    this.offset = offset
  }
}
