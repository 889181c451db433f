import type { Answers } from './gen/answers.ts'

/** A path of the API that can be read, as it is declared. */
export type ApiPath = keyof Answers

/** The values of a path's parameters and of its query; what is undefined is left out. */
export type Values = Readonly<Record<string, string | number | boolean | undefined>>

/** An answer that is none, as the API words it. `status` 0: there was no answer at all. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ApiProblem'
    this.status = status
    this.code = code
  }
}

/** Puts whatever was thrown into words for people. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The address of a path with its values: those that the path names go into it, the others behind the question mark. */
export function apiAddress(path: ApiPath, values: Values = {}): string {
  const rest = new URLSearchParams()
  let address: string = path
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') continue
    if (path.includes(`{${name}}`)) address = address.replace(`{${name}}`, encodeURIComponent(value))
    else rest.set(name, String(value))
  }
  return rest.size === 0 ? address : `${address}?${rest.toString()}`
}

/**
 * Asks the API.
 * @throws ApiProblem for every answer that is no success, and for none
 */
export async function ask<Path extends ApiPath>(
  path: Path,
  values: Values,
  signal: AbortSignal,
): Promise<Answers[Path]> {
  let response: Response
  try {
    response = await fetch(apiAddress(path, values), { signal, headers: { accept: 'application/json' } })
  } catch (error) {
    if (signal.aborted) throw error
    throw new ApiProblem(0, 'no-answer', 'The API does not answer. Is the network there, and is flowfarm running?')
  }
  if (!response.ok) throw await problemOf(response)
  return (await response.json()) as Answers[Path]
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const isProblem = response.headers.get('content-type')?.includes('json') === true
  const body = isProblem ? ((await response.json()) as { detail?: string; code?: string }) : {}
  return new ApiProblem(
    response.status,
    body.code ?? `http-${response.status}`,
    body.detail ?? `The API answered with status ${response.status}.`,
  )
}
