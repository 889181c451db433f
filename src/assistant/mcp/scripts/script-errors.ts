import { ApiError } from '../../../platform/errors.ts'

/** What nodes say is told to the caller, up to so many characters: Cadence errors quote the script. */
const mostReasonCharacters = 4000

/** The script is no Cadence, has other arguments, or ended with an error. Nodes say which, and where. */
export function scriptFailed(reason: string, cause?: unknown): ApiError {
  return new ApiError(400, 'script-failed', `The access node refused the script: ${cut(reason)}`, {
    field: 'script',
    cause,
  })
}

/** No node has the state that was asked for. */
export function stateNotServed(reason: string, cause?: unknown): ApiError {
  return new ApiError(
    404,
    'state-not-served',
    `No access node has the state after that block, of those that are asked here: ${cut(reason)}`,
    { cause },
  )
}

/** A node answered, and not as it should: the fault may lie in it, or in what the script does. */
export function chainFailed(reason: string, cause?: unknown): ApiError {
  return new ApiError(502, 'chain-failed', `The access node could not run the script: ${cut(reason)}`, { cause })
}

/** No node answers, or all refuse for the pace. */
export function chainUnavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError(503, 'chain-unavailable', `No access node runs the script at the moment: ${cut(reason)}`, {
    cause,
  })
}

/** No answer in time. */
export function scriptTimedOut(seconds: number, cause?: unknown): ApiError {
  return new ApiError(
    504,
    'script-timeout',
    `The access node gave no answer in ${seconds} s: have the script do less.`,
    { cause },
  )
}

/** Too many run at the same time. */
export function scriptsBusy(): ApiError {
  return new ApiError(503, 'scripts-busy', 'Too many scripts are running. Try again shortly.', {
    details: { retryAfterSeconds: 1 },
  })
}

function cut(reason: string): string {
  return reason.length > mostReasonCharacters ? `${reason.slice(0, mostReasonCharacters)}…` : reason
}
