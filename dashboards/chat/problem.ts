/** Why there is no answer, in words for people. `status` 0: nothing came back at all. */
export class ChatProblem extends Error {
  readonly status: number
  readonly code: string
  /** How long to wait before another try, where the service says so. */
  readonly retryAfterS: number | undefined

  constructor(status: number, code: string, message: string, retryAfterS?: number) {
    super(message)
    this.name = 'ChatProblem'
    this.status = status
    this.code = code
    this.retryAfterS = retryAfterS
  }
}

/** Text of an error response. Only problem details are shown, since a proxy may answer instead. */
export async function problemOf(response: Response): Promise<ChatProblem> {
  const body = await readProblem(response)
  const wait = Number(response.headers.get('retry-after'))
  return new ChatProblem(
    response.status,
    body.code ?? `http-${response.status}`,
    body.detail ?? `The chat answered with status ${response.status}.`,
    Number.isFinite(wait) && wait > 0 ? wait : undefined,
  )
}

interface ProblemBody {
  readonly code?: string
  readonly detail?: string
}

async function readProblem(response: Response): Promise<ProblemBody> {
  if (response.headers.get('content-type')?.includes('json') !== true) return {}
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? body : {}
  } catch (error) {
    // Cut off, or no JSON after all: the status tells enough.
    if (error instanceof SyntaxError || error instanceof TypeError) return {}
    throw error
  }
}

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
  if (error instanceof ChatProblem) {
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
