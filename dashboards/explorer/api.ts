import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { ApiProblem, mayRecover, problemText, request } from '../kit/api.ts'
import type { Answers } from './answers.gen.ts'

type ApiPath = keyof Answers

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

export function loadErrorText(error: unknown): string {
  return mayRecover(error) ? `${problemText(error)} Retrying automatically.` : problemText(error)
}

/** Every list of the API accepts it. */
const maxPageSize = 100

/** Longer than the API's statement timeout. */
const timeoutMs = 60_000

export function apiUrl(path: ApiPath, parameters: Parameters = {}): string {
  const query = new URLSearchParams()
  let url: string = path
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === '') continue
    if (path.includes(`{${name}}`)) url = url.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, String(value))
  }
  return query.size === 0 ? url : `${url}?${query.toString()}`
}

/** @throws ApiProblem for an error response and without a valid response in time */
export async function fetchApi<Path extends ApiPath>(
  path: Path,
  parameters: Parameters,
  signal: AbortSignal,
): Promise<Answers[Path]> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await request(apiUrl(path, parameters), {
      signal: AbortSignal.any([signal, timeout]),
      headers: { accept: 'application/json' },
    })
    return (await response.json()) as Answers[Path]
  } catch (error) {
    if (signal.aborted || error instanceof ApiProblem) throw error
    if (timeout.aborted) throw new ApiProblem(0, 'timeout', `The API did not respond within ${timeoutMs / 1000} s.`)
    if (error instanceof SyntaxError)
      throw new ApiProblem(0, 'bad-answer', 'The response is not JSON. A proxy may have answered instead of the API.')
    throw new ApiProblem(0, 'no-answer', 'The connection was lost before the response was complete.')
  }
}

interface ListResponse {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly cursor: string
}

export type ListPath = { [Path in ApiPath]: Answers[Path] extends ListResponse ? Path : never }[ApiPath]

export type ItemOf<Path extends ListPath> = Answers[Path]['data'][number]

interface QueryOptions {
  readonly isEnabled?: boolean
  readonly keepsPrevious?: boolean
  readonly refetchMs?: number
}

export function useApi<Path extends ApiPath>(
  path: Path,
  parameters: Parameters = {},
  { isEnabled = true, keepsPrevious = false, refetchMs }: QueryOptions = {},
): UseQueryResult<Answers[Path]> {
  return useQuery<Answers[Path]>({
    queryKey: [path, parameters],
    queryFn: ({ signal }) => fetchApi(path, parameters, signal),
    enabled: isEnabled,
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  })
}

type PagesOf<Path extends ListPath> = UseInfiniteQueryResult<InfiniteData<Answers[Path], string>>

export type ListQuery<Path extends ListPath> = PagesOf<Path> & {
  readonly source: { readonly path: Path; readonly parameters: Parameters }
}

export function useList<Path extends ListPath>(path: Path, parameters: Parameters = {}): ListQuery<Path> {
  const query: PagesOf<Path> = useInfiniteQuery({
    queryKey: ['list', path, parameters],
    queryFn: ({ signal, pageParam }) => fetchApi(path, { ...parameters, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last: Answers[Path]) => ('has_more' in last && last.has_more ? last.cursor : undefined),
  })
  return { ...query, source: { path, parameters } }
}

/** Pages of a filtered list may be nearly empty, so requests are limited. */
export async function fetchItems<Path extends ListPath>(
  { path, parameters }: ListQuery<Path>['source'],
  maxRequests: number,
): Promise<{ readonly items: readonly ItemOf<Path>[]; readonly hasMore: boolean }> {
  const items: ItemOf<Path>[] = []
  const { signal } = new AbortController()
  let cursor = ''
  for (let requests = 0; requests < maxRequests; requests++) {
    const page: ListResponse = await fetchApi(path, { ...parameters, limit: maxPageSize, cursor }, signal)
    items.push(...(page.data as readonly ItemOf<Path>[]))
    cursor = page.cursor
    if (!page.has_more) return { items, hasMore: false }
  }
  return { items, hasMore: true }
}

export function itemsOf<Path extends ListPath>(list: ListQuery<Path>): readonly ItemOf<Path>[] {
  return (list.data?.pages ?? []).flatMap((page) => page.data as readonly ItemOf<Path>[])
}
