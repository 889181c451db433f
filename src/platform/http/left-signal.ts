import type { ServerResponse } from 'node:http'

/** Aborted when the client goes before it has its answer. */
export function leftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const left = (): void => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone'))
  }
  // It may have gone while its question was read.
  if (response.destroyed) left()
  else response.once('close', left)
  return controller.signal
}
