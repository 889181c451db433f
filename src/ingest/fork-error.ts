import { FlowfarmError } from '../base/errors.ts'

/** The node's chain does not continue the stored one: at or below `height` they part. */
export class ForkError extends FlowfarmError {
  readonly height: number

  constructor(height: number, message: string) {
    super('fork', message)
    this.height = height
  }
}
