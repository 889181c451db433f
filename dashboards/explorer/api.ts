import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { ApiProblem, mayRecover, problemText, request } from '../kit/api.ts'
import type { Answers } from './answers.gen.ts'

/** A path of the API that can be read, as it is declared. */
type ApiPath = keyof Answers

/** The values of a path's parameters and of its query; what is undefined is left out. */
type Values = Readonly<Record<string, string | number | boolean | undefined>>

/** Describes an error in place of what could not be loaded, and says whether it is loaded again (`retryFailed`). */
export function failureText(error: unknown): string {
  return mayRecover(error) ? `${problemText(error)} Retrying automatically.` : problemText(error)
}

/** Longest wait for a response, ms. Statements of the API end sooner, so a longer silence is a lost connection. */
const answerTimeoutMs = 60_000

/** The address of a path with its values: those that the path names go into it, the others behind the question mark. */
function apiAddress(path: ApiPath, values: Values = {}): string {
  const rest = new URLSearchParams()
  let address: string = path
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') continue
    if (path.includes(`{${name}}`)) address = address.replace(`{${name}}`, encodeURIComponent(value))
    else rest.set(name, String(value))
  }
  return rest.size === 0 ? address : `${address}?${rest.toString()}`
}

/** @throws ApiProblem for an error response and if there is no valid response in time */
export async function ask<Path extends ApiPath>(
  path: Path,
  values: Values,
  signal: AbortSignal,
): Promise<Answers[Path]> {
  const timeout = AbortSignal.timeout(answerTimeoutMs)
  try {
    const response = await request(apiAddress(path, values), {
      signal: AbortSignal.any([signal, timeout]),
      headers: { accept: 'application/json' },
    })
    return (await response.json()) as Answers[Path]
  } catch (error) {
    if (signal.aborted || error instanceof ApiProblem) throw error
    if (timeout.aborted)
      throw new ApiProblem(0, 'timeout', `The API did not respond within ${answerTimeoutMs / 1000} s.`)
    if (error instanceof SyntaxError)
      throw new ApiProblem(0, 'bad-answer', 'The response is not JSON. A proxy may have answered instead of the API.')
    throw new ApiProblem(0, 'no-answer', 'The connection was lost before the response was complete.')
  }
}

interface ListAnswer {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly cursor: string
}

/** Paths that are answered with a list in pages. */
export type ListPath = { [Path in ApiPath]: Answers[Path] extends ListAnswer ? Path : never }[ApiPath]

/** What a list holds. */
export type ItemOf<Path extends ListPath> = Answers[Path]['data'][number]

interface AnswerOptions {
  /** Default: it is asked for at once. */
  readonly isOn?: boolean
  /** Whether what was last shown stays in place while something else is asked for. */
  readonly keepsLast?: boolean
  /** Asks again every so many ms. */
  readonly everyMs?: number
}

/** The answer of a path, once for all who show it. */
export function useAnswer<Path extends ApiPath>(
  path: Path,
  values: Values = {},
  { isOn = true, keepsLast = false, everyMs }: AnswerOptions = {},
): UseQueryResult<Answers[Path]> {
  return useQuery<Answers[Path]>({
    queryKey: [path, values],
    queryFn: ({ signal }) => ask(path, values, signal),
    enabled: isOn,
    ...(keepsLast ? { placeholderData: keepPreviousData } : {}),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  })
}

export type ListQuery<Path extends ListPath> = UseInfiniteQueryResult<InfiniteData<Answers[Path], string>>

/** A list, page by page, in the order of the API. */
export function useList<Path extends ListPath>(path: Path, values: Values = {}, isOn = true): ListQuery<Path> {
  return useInfiniteQuery({
    queryKey: ['list', path, values],
    queryFn: ({ signal, pageParam }) => ask(path, { ...values, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last: Answers[Path]) => ('has_more' in last && last.has_more ? last.cursor : undefined),
    enabled: isOn,
  })
}

/** What of a list has been loaded. */
export function itemsOf<Path extends ListPath>(list: ListQuery<Path>): readonly ItemOf<Path>[] {
  return (list.data?.pages ?? []).flatMap((page) => page.data as readonly ItemOf<Path>[])
}
