/** The input cannot be signed. The message names the field and the expected value. */
export class SigningError extends Error {
  /** Such as `proposalKey.address`. */
  readonly field: string

  constructor(field: string, remedy: string) {
    super(`${field} ${remedy}`)
    this.name = 'SigningError'
    this.field = field
  }
}
