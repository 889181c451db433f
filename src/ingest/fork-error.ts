import { FlowfarmError } from '../platform/errors.ts'

/** The node's chain does not continue the stored one: at or below `height` they part. */
export class ForkError extends FlowfarmError {
  readonly height: number
  /** The node that gave the block that does not fit, where it was a block. */
  readonly endpoint: string | undefined

  constructor(height: number, message: string, endpoint?: string) {
    super('fork', message)
    this.height = height
    this.endpoint = endpoint
  }
}
