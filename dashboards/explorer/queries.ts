import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { ask } from './api.ts'
import type { ApiPath, Values } from './api.ts'
import type { Answers } from './gen/answers.ts'

interface ListAnswer {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly cursor: string
}

/** Paths that are answered with a list in pages. */
export type ListPath = { [Path in ApiPath]: Answers[Path] extends ListAnswer ? Path : never }[ApiPath]

/** What a list holds. */
export type ItemOf<Path extends ListPath> = Answers[Path]['data'][number]

export interface AnswerOptions {
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
