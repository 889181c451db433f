import type { Readable } from 'node:stream'

/** A body that is made while it is sent, in another form than the route's usual one. */
export class AnswerStream {
  /** With its charset, as the header has it. */
  readonly contentType: string
  /** Is destroyed when the client leaves. An error in it breaks the connection: a status was sent already. */
  readonly content: Readable

  constructor(contentType: string, content: Readable) {
    this.contentType = contentType
    this.content = content
  }
}
