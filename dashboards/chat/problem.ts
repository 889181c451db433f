import { ApiProblem } from '../kit/api.ts'

export interface ProblemDescription {
  readonly title: string
  readonly detail: string
  readonly isRetryable: boolean
  readonly retryAfterS?: number | undefined
}

export function describeProblem(error: Error): ProblemDescription {
  if (error instanceof ApiProblem) {
    const { status, code, message, retryAfterS } = error
    const isRetryable = status === 0 || status === 408 || status === 429 || (status >= 500 && code !== 'no-model')
    return { title: problemTitle(status, code), detail: message, isRetryable, retryAfterS }
  }
  // Browsers throw a TypeError, each with its own message, when a body ends early.
  if (error instanceof TypeError) {
    return {
      title: 'Connection lost',
      detail: 'The answer may be incomplete.',
      isRetryable: true,
    }
  }
  return { title: 'The answer was interrupted', detail: error.message, isRetryable: true }
}

function problemTitle(status: number, code: string): string {
  if (code === 'no-model') return 'No model is configured'
  if (status === 0) return 'Could not reach the chat'
  if (status === 401) return 'Authentication required'
  if (status === 413) return 'The conversation is too long'
  if (status === 429) return 'Too many requests'
  if (status === 503) return 'The chat is busy'
  if (status === 504) return 'The answer timed out'
  if (status >= 500) return 'The chat failed to answer'
  return 'The question was rejected'
}
