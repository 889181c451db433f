import type { ApiError } from './errors.ts'

/** The body of every error of a server, RFC 9457. */
export interface Problem {
  /** `urn:flowfarm:problem:` and the code. */
  readonly type: string
  /** What the status means. */
  readonly title: string
  readonly status: number
  /** What went wrong and what to do, for people. */
  readonly detail: string
  /** What went wrong, for programs; stable. */
  readonly code: string
  /** The parameter or field at fault. */
  readonly field?: string | undefined
  /** Names the request in the log. */
  readonly request_id: string
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  426: 'Upgrade required',
  429: 'Too many requests',
  431: 'Request header fields too large',
  499: 'Client closed request',
  500: 'Internal error',
  501: 'Not implemented',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timeout',
  508: 'Loop detected',
}

export function problemOf(error: ApiError, requestId: string): Problem {
  return {
    type: `urn:flowfarm:problem:${error.code}`,
    title: titles[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(error.field === undefined ? {} : { field: error.field }),
    request_id: requestId,
  }
}
