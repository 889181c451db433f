export class ApiProblem extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number
  readonly code: string
  readonly retryAfterS: number | undefined
  readonly body: object

  constructor(status: number, code: string, message: string, retryAfterS?: number, body: object = {}) {
    super(message)
    this.name = 'ApiProblem'
    this.status = status
    this.code = code
    this.retryAfterS = retryAfterS
    this.body = body
  }
}

export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a request may succeed later without a change by the user. */
export function mayRecover(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 0 || error.status >= 500)
}

/**
 * @param service name in error messages @throws ApiProblem for an error response or without a
 * response; the signal's reason if it aborts
 */
export async function request(url: string, init: RequestInit = {}, service = 'The API'): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    const text = `${service} is not reachable. Check your network connection and that flowfarm is running.`
    throw new ApiProblem(0, 'no-answer', text)
  }
  if (!response.ok) throw await problemOf(response, service)
  return response
}

/** A proxy may respond instead of the service, so only JSON is shown. */
async function problemOf(response: Response, service = 'The API'): Promise<ApiProblem> {
  const body = await readProblem(response)
  const { code, detail, title } = body
  return new ApiProblem(
    response.status,
    code ?? `http-${response.status}`,
    detail ?? title ?? `${service} returned status ${response.status}.`,
    retryAfterOf(response),
    body,
  )
}

export function retryAfterOf(response: Response): number | undefined {
  const wait = Number(response.headers.get('retry-after'))
  return wait > 0 ? wait : undefined
}

interface ProblemBody {
  readonly code?: string
  readonly detail?: string
  readonly title?: string
}

async function readProblem(response: Response): Promise<ProblemBody> {
  if (response.headers.get('content-type')?.includes('json') !== true) return {}
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? body : {}
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return {}
    throw error
  }
}
