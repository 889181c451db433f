/** A program of the operator, such as the editor, at whose pages people sign in by the wallet. */
export interface SignInClient {
  /** `client_id` */
  readonly id: string
  /** As people read it. */
  readonly name: string
  /** The one page that codes are sent to; a request has to name it letter by letter. */
  readonly redirectUri: string
}

/** The client of a request. Undefined: there is none with this id and page. */
export function findClient(
  clients: readonly SignInClient[],
  id: string,
  redirectUri: string,
): SignInClient | undefined {
  return clients.find((one) => one.id === id && one.redirectUri === redirectUri)
}
