/** The last one is of who leaves within a body. */
const codes: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
  'HPE_INVALID_EOF_STATE',
])

/** Whether an answer was not sent since whoever asked has gone: that a tab is closed is no trouble of ours. */
export function hasLeftEarly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.has(error.code)
}
