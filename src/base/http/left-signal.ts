import type { ServerResponse } from 'node:http'

/** Aborted when the client goes before it has its answer. */
export function leftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone'))
  })
  return controller.signal
}
