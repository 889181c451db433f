import { RetryableError } from '../../platform/errors.ts'

/**
 * An answer that is no valid protobuf message, or lacks what it must have. It is the node's fault: another node may
 * answer better, so it can be retried. `details.offset` is where in the answer reading stopped, in bytes.
 */
export class WireError extends RetryableError {
  constructor(message: string, offset: number) {
    super('wire-malformed', `malformed answer at byte ${offset}: ${message}`, { details: { offset } })
  }
}
