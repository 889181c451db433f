import type { Key, ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiProblem, problemText } from '../../kit/api.ts'
import { download } from '../../kit/browser.ts'
import { Button, Icon } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { useSearchValue } from '../../kit/router.tsx'
import { Loading, EmptyState, ErrorState } from '../../kit/state.tsx'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import { useToast } from '../../kit/toast.tsx'
import { fetchItems, itemsOf, loadErrorText } from '../api.ts'
import type { ItemOf, ListPath, ListQuery } from '../api.ts'
import { listCsv } from '../list-csv.ts'
import { FilterBar, SortSelect, useClearFilters } from './filters.tsx'
import type { Filter, ListSorting } from './filters.tsx'

/** Items of the whole list. */
interface Total {
  readonly count: number
  readonly isEstimate?: boolean
}

export interface ListProps<Path extends ListPath> {
  readonly list: ListQuery<Path>
  readonly what: string
  readonly emptyText?: ReactNode
  readonly header?: ReactNode
  readonly isShown?: (item: ItemOf<Path>) => boolean
  readonly filters?: readonly Filter[]
  /** Beside the filters. */
  readonly tools?: ReactNode
  readonly sorting?: ListSorting
  /** Without filters; undefined if unknown. */
  readonly total?: Total | undefined
}

interface TableListProps<Path extends ListPath> extends ListProps<Path> {
  readonly columns: readonly Column<ItemOf<Path>>[]
  readonly itemKey: (item: ItemOf<Path>) => Key
}

interface CardListProps<Path extends ListPath> extends ListProps<Path> {
  readonly renderCard: (item: ItemOf<Path>) => ReactNode
}

export function TableList<Path extends ListPath>({ columns, itemKey, ...rest }: TableListProps<Path>): ReactNode {
  return (
    <ListPanel
      {...rest}
      render={(items) => (
        <DataTable label={rest.what} columns={columns} items={items} itemKey={itemKey} sorting={rest.sorting} />
      )}
    />
  )
}

export function CardList<Path extends ListPath>({ renderCard, ...rest }: CardListProps<Path>): ReactNode {
  return <ListPanel {...rest} render={(items) => <ul className="cards">{items.map(renderCard)}</ul>} />
}

interface ListPanelProps<Path extends ListPath> extends ListProps<Path> {
  readonly render: (items: readonly ItemOf<Path>[]) => ReactNode
}

function ListPanel<Path extends ListPath>({
  list,
  what,
  emptyText,
  header,
  isShown = () => true,
  filters = [],
  tools,
  sorting,
  total,
  render,
}: ListPanelProps<Path>): ReactNode {
  const loaded = itemsOf(list)
  const items = loaded.filter(isShown)
  const clearFilters = useClearFilters(filters)
  const isFiltered = clearFilters !== undefined
  return (
    <section className="panel list" aria-label={what} aria-busy={list.isFetching}>
      {header}
      {(filters.length > 0 || tools !== undefined || items.length > 0) && (
        <div className="list-tools">
          <FilterBar filters={filters} />
          {tools}
          {sorting !== undefined && items.length > 0 && <SortSelect sorting={sorting} />}
          {items.length > 0 && (
            <div className="list-extent">
              <span className="soft">{extentText(items.length, list.hasNextPage, isFiltered ? undefined : total)}</span>
              <CsvButton list={list} what={what} isShown={isShown} />
            </div>
          )}
        </div>
      )}
      {list.isPending && <Loading rows={6} label={`Loading ${what}…`} />}
      {list.isError && loaded.length === 0 && (
        <LoadError error={list.error} what={what} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && items.length === 0 && clearFilters === undefined && (
        <EmptyState title={`No ${what}`}>{emptyText}</EmptyState>
      )}
      {list.isSuccess && items.length === 0 && clearFilters !== undefined && (
        <EmptyState title={`No ${what} match these filters`}>
          {list.hasNextPage ? 'Not all blocks were searched yet: load more, or remove a filter. ' : 'Remove a filter. '}
          <Button isSmall onClick={clearFilters}>
            Clear filters
          </Button>
        </EmptyState>
      )}
      {items.length > 0 && render(items)}
      {list.isFetchNextPageError && (
        <LoadError error={list.error} what={`more ${what}`} onRetry={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && !list.isFetchNextPageError && (
        <footer>
          <LoadMore list={list} what={what} />
        </footer>
      )}
    </section>
  )
}

/** Counts of accounts and contracts above 10,000 are estimates. */
export function totalOf(count: number | undefined): Total | undefined {
  return count === undefined ? undefined : { count, isEstimate: count > 10_000 }
}

function extentText(shown: number, hasMore: boolean, total: Total | undefined): string {
  const count = formatNumber(shown)
  if (!hasMore) return `${count} in total`
  if (total === undefined || total.count <= shown) return `${count} shown, more available`
  return `${count} of ${total.isEstimate === true ? 'about ' : ''}${formatNumber(total.count)}`
}

/** For a CSV file: up to 2,000 rows. */
const maxCsvRequests = 20

type CsvButtonProps<Path extends ListPath> = Required<Pick<ListProps<Path>, 'list' | 'what' | 'isShown'>>

function CsvButton<Path extends ListPath>({ list, what, isShown }: CsvButtonProps<Path>): ReactNode {
  const [isBusy, setIsBusy] = useState(false)
  const showToast = useToast()
  const save = async (): Promise<void> => {
    setIsBusy(true)
    try {
      const { items, hasMore } = await fetchItems(list.source, maxCsvRequests)
      const name = `flowfarm-${what.toLowerCase().replaceAll(' ', '-')}.csv`
      download(name, 'text/csv;charset=utf-8', listCsv(items.filter(isShown)))
      if (hasMore)
        showToast(`The file has the first ${formatNumber(items.length)} ${what}. Filter the list for others.`)
    } catch (error) {
      showToast(`Could not download the ${what}: ${problemText(error)}`, 'bad')
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Button isSmall disabled={isBusy} aria-label={`Download ${what} as CSV`} onClick={() => void save()}>
      <Icon name="save" size={14} /> {isBusy ? 'Preparing…' : 'CSV'}
    </Button>
  )
}

interface LoadMoreProps {
  readonly list: { readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => Promise<unknown> }
  readonly what: string
}

export function LoadMore({ list, what }: LoadMoreProps): ReactNode {
  return (
    <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {list.isFetchingNextPage ? 'Loading…' : `Load more ${what}`}
    </Button>
  )
}

interface QueryResultProps<Value> {
  readonly query: UseQueryResult<Value>
  readonly what: string
  readonly rows?: number
  readonly children: (value: Value) => ReactNode
}

export function QueryResult<Value>({ query, what, rows = 4, children }: QueryResultProps<Value>): ReactNode {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <LoadError error={query.error} what={what} onRetry={() => void query.refetch()} />
  return <Loading rows={rows} label={`Loading ${what}…`} />
}

interface ItemResultProps<Item> extends Omit<QueryResultProps<unknown>, 'query' | 'children'> {
  readonly query: UseQueryResult<{ readonly data: readonly Item[] }>
  readonly children: (item: Item) => ReactNode
}

export function ItemResult<Item>({ children, ...rest }: ItemResultProps<Item>): ReactNode {
  return <QueryResult {...rest}>{({ data: [item] }) => item !== undefined && children(item)}</QueryResult>
}

interface LoadErrorProps {
  readonly error: unknown
  readonly what: string
  readonly onRetry: () => void
}

export function LoadError({ error, what, onRetry }: LoadErrorProps): ReactNode {
  if (error instanceof ApiProblem && error.status === 404) {
    return (
      <EmptyState title={`Could not find ${what}`}>
        {problemText(error)} It may not be indexed yet, precede the first indexed block, or belong to another network.
      </EmptyState>
    )
  }
  if (error instanceof ApiProblem && error.status === 400) {
    return (
      <EmptyState title={`Could not open ${what}`}>
        {problemText(error)} Check that the ID or address is complete, or search for it above.
      </EmptyState>
    )
  }
  return <ErrorState title={`Could not load ${what}`} detail={loadErrorText(error)} onRetry={onRetry} />
}

const debounceMs = 300

export function ListFilter({ label }: { readonly label: string }): ReactNode {
  const [search, setSearch] = useSearchValue('search')
  const [text, setText] = useState(search)
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => setSearch(text.trim()), debounceMs)
    return () => clearTimeout(timer)
  }, [text, search, setSearch])
  return (
    <label className="filter">
      <span className="visually-hidden">{label}</span>
      <input
        className="input"
        type="search"
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  )
}
