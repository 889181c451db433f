/** What was given cannot be signed; the message names the field and what it has to be. */
export class SigningError extends Error {
  /** E.g. `proposalKey.address`. */
  readonly field: string

  constructor(field: string, remedy: string) {
    super(`${field} ${remedy}`)
    this.name = 'SigningError'
    this.field = field
  }
}
