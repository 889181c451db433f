import { RetryableError } from '../../platform/errors.ts'

/**
 * The server broke the rules of HTTP/2 in a way that ends the connection. `http2Code` is what it is told, one of
 * `errorCode`. A new connection may fare better, so it can be retried.
 */
export class Http2Error extends RetryableError {
  readonly http2Code: number

  constructor(http2Code: number, message: string) {
    super('http2-violation', message, { details: { http2Code } })
    this.http2Code = http2Code
  }
}
