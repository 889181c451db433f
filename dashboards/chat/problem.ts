import { ApiProblem } from '../kit/api.ts'

/** What the page shows of a failure. */
export interface ToldProblem {
  readonly title: string
  readonly detail: string
  /** Whether the same may work at another time: not where somebody has to set something, or to ask otherwise. */
  readonly mayPass: boolean
  readonly retryAfterS?: number | undefined
}

/** Puts whatever ended an answer into words. */
export function tellProblem(error: Error): ToldProblem {
  if (error instanceof ApiProblem) {
    const { status, code, message, retryAfterS } = error
    const mayPass = status === 0 || status === 408 || status === 429 || (status >= 500 && code !== 'no-model')
    return { title: problemTitle(status, code), detail: message, mayPass, retryAfterS }
  }
  // A body that ends before its end: browsers throw a TypeError, each with words of its own.
  if (error instanceof TypeError) {
    return {
      title: 'The connection was lost',
      detail: 'The answer broke off. What is above may not be all of it.',
      mayPass: true,
    }
  }
  return { title: 'The answer broke off', detail: error.message, mayPass: true }
}

function problemTitle(status: number, code: string): string {
  if (code === 'no-model') return 'There is no model to answer'
  if (status === 0) return 'There is no answer'
  if (status === 401) return 'A token is wanted'
  if (status === 413) return 'That was too long'
  if (status === 429) return 'That was too often'
  if (status === 503) return 'The chat is busy'
  if (status === 504) return 'That took too long'
  if (status >= 500) return 'The chat could not answer'
  return 'This question was not accepted'
}
