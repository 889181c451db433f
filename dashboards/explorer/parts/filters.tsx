import { useEffect, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Form, Icon } from '../../kit/controls.tsx'
import { navigate, useLocation } from '../../kit/router.tsx'
import { Loading } from '../../kit/state.tsx'
import type { Sorting } from '../../kit/table.tsx'
import { useApi } from '../api.ts'
import { contractNameOf, sanitizeName, shorten } from '../text.ts'

interface FilterBase {
  /** Parameter in the URL and of the API. */
  readonly name: string
  readonly label: string
}

interface ChoiceFilter extends FilterBase {
  readonly kind: 'choice'
  readonly options: Readonly<Record<string, string>>
  /** Another filter, without which this one is hidden. */
  readonly requires?: string
}

interface TextFilter extends FilterBase {
  readonly kind: 'text'
  readonly hint: string
  readonly pattern: string
}

interface NameFilter extends FilterBase {
  readonly kind: keyof typeof sources
}

/** `from` and `to`. */
interface DayFilter {
  readonly kind: 'days'
}

export type Filter = ChoiceFilter | TextFilter | NameFilter | DayFilter

export const dayFilter: DayFilter = { kind: 'days' }

const digits = '[0-9a-fA-F]'

export function accountFilter(name: string, label: string): TextFilter {
  const hint = 'Address, 0x and 16 hex digits'
  return { kind: 'text', name, label, hint, pattern: String.raw`\s*(0[xX])?${digits}{1,16}\s*` }
}

/** Flow account or EVM address. */
export function partyFilter(name: string, label: string): TextFilter {
  const hint = 'Address, 0x and 16 or 40 hex digits'
  return { kind: 'text', name, label, hint, pattern: String.raw`\s*(0[xX])?(${digits}{1,16}|${digits}{40})\s*` }
}

function namesOf(filter: Filter): readonly string[] {
  return filter.kind === 'days' ? ['from', 'to'] : [filter.name]
}

type Values = Readonly<Record<string, string>>

/** From the URL, as parameters of the API. */
export function useFilterValues(filters: readonly Filter[]): Values {
  const values = new URLSearchParams(useLocation().search)
  const usable = filters.filter((filter) => isUsable(filter, Object.fromEntries(values)))
  return Object.fromEntries(usable.flatMap(namesOf).map((name) => [name, values.get(name) ?? '']))
}

function isUsable(filter: Filter, values: Values): boolean {
  const required = filter.kind === 'choice' ? filter.requires : undefined
  return required === undefined || (values[required] ?? '') !== ''
}

function setValues(changes: Values): void {
  const values = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') values.delete(name)
    else values.set(name, value)
  }
  navigate(values.size === 0 ? location.pathname : `${location.pathname}?${values.toString()}`, { isReplacing: true })
}

const emptyOf = (filters: readonly Filter[]): Values =>
  Object.fromEntries(filters.flatMap(namesOf).map((name) => [name, '']))

/** Undefined if none is set. */
export function useClearFilters(filters: readonly Filter[]): (() => void) | undefined {
  const isSet = Object.values(useFilterValues(filters)).some((value) => value !== '')
  return isSet ? () => setValues(emptyOf(filters)) : undefined
}

export function FilterBar({ filters }: { readonly filters: readonly Filter[] }): ReactNode {
  const clear = useClearFilters(filters)
  const values = useFilterValues(filters)
  if (filters.length === 0) return null
  return (
    <div className="filters" role="group" aria-label="Filters">
      {filters
        .filter((filter) => isUsable(filter, values))
        .map((filter) => (
          <FilterPill key={namesOf(filter).join(' ')} filter={filter} values={values} />
        ))}
      {clear !== undefined && (
        <Button look="plain" isSmall onClick={clear}>
          Clear filters
        </Button>
      )}
    </div>
  )
}

interface FilterProps<Each extends Filter = Filter> {
  readonly filter: Each
  readonly values: Values
}

interface FormProps<Each extends Filter> extends FilterProps<Each> {
  readonly onApply: (changes: Values) => void
}

function FilterPill({ filter, values }: FilterProps): ReactNode {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const label = filter.kind === 'days' ? 'Date' : filter.label
  const shown = textOf(filter, values)
  const apply = (changes: Values): void => {
    document.querySelector<HTMLElement>(`#${CSS.escape(id)}`)?.hidePopover()
    setValues(changes)
  }
  return (
    <span className={shown === '' ? 'pill' : 'pill set'}>
      <button type="button" className="pill-name" popoverTarget={id}>
        {shown === '' ? (
          <>
            <Icon name="plus" size={12} /> {label}
          </>
        ) : (
          <>
            {label} <b>{shown}</b>
          </>
        )}
      </button>
      {shown !== '' && (
        <button
          type="button"
          className="pill-remove"
          aria-label={`Remove filter ${label}`}
          onClick={() => setValues(emptyOf([filter]))}
        >
          <Icon name="cross" size={12} />
        </button>
      )}
      <div
        id={id}
        popover="auto"
        className="filter-form"
        role="dialog"
        aria-label={`Filter by ${label.toLowerCase()}`}
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && <FilterForm filter={filter} values={values} onApply={apply} />}
      </div>
    </span>
  )
}

function textOf(filter: Filter, values: Values): string {
  if (filter.kind === 'days') {
    const { from = '', to = '' } = values
    if (from !== '' && to !== '') return from === to ? from : `${from} to ${to}`
    return from === '' ? (to === '' ? '' : `until ${to}`) : `since ${from}`
  }
  const value = values[filter.name] ?? ''
  if (filter.kind === 'choice') return filter.options[value] ?? value
  return filter.kind === 'text' ? shorten(value) : sanitizeName(contractNameOf(value), '')
}

function FilterForm(props: FormProps<Filter>): ReactNode {
  const { filter } = props
  switch (filter.kind) {
    case 'choice':
      return <ChoiceForm {...props} filter={filter} />
    case 'text':
      return <TextForm {...props} filter={filter} />
    case 'days':
      return <DaysForm {...props} filter={filter} />
    default:
      return <NameForm {...props} filter={filter} />
  }
}

function ChoiceForm({ filter: { name, options }, values, onApply }: FormProps<ChoiceFilter>): ReactNode {
  return (
    <ul className="options">
      {Object.entries(options).map(([value, text]) => (
        <li key={value}>
          <button type="button" aria-pressed={value === values[name]} onClick={() => onApply({ [name]: value })}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  )
}

function TextForm({ filter, values, onApply }: FormProps<TextFilter>): ReactNode {
  const { name, label, hint, pattern } = filter
  const [text, setText] = useState(values[name] ?? '')
  return (
    <Form onSubmit={() => onApply({ [name]: text.trim() })}>
      <label className="field">
        <span>{label}</span>
        <input
          className="input"
          value={text}
          placeholder={hint}
          pattern={pattern}
          title={hint}
          required
          autoFocus
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Button type="submit" look="strong">
        Apply
      </Button>
    </Form>
  )
}

const dayMs = 86_400_000

function daysAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
}

function DaysForm({ values, onApply }: FormProps<DayFilter>): ReactNode {
  const [from, setFrom] = useState(values['from'] ?? '')
  const [to, setTo] = useState(values['to'] ?? '')
  return (
    <Form onSubmit={() => onApply({ from, to })}>
      <div className="button-row">
        {[7, 30, 365].map((days) => (
          <Button key={days} isSmall onClick={() => onApply({ from: daysAgo(days), to: '' })}>
            Last {days} days
          </Button>
        ))}
      </div>
      <div className="two-fields">
        <label className="field">
          <span>First day (UTC)</span>
          <input
            className="input"
            type="date"
            max={to || undefined}
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </label>
        <label className="field">
          <span>Last day (UTC)</span>
          <input
            className="input"
            type="date"
            min={from || undefined}
            value={to}
            onChange={({ target }) => setTo(target.value)}
          />
        </label>
      </div>
      <Button type="submit" look="strong">
        Apply
      </Button>
    </Form>
  )
}

const maxSuggestions = 6

interface Suggestion {
  readonly id: string
  readonly name: string
}

const sources = { token: '/flow/ft', collection: '/flow/nft', contract: '/flow/contract' } as const

/** Undefined while the first names are loading. */
function useSuggestions(kind: keyof typeof sources, search: string): readonly Suggestion[] | undefined {
  const path = sources[kind]
  const names = { [kind === 'contract' ? 'name' : 'search']: search, limit: maxSuggestions }
  const found = useApi(path, names, { keepsPrevious: true }).data?.data
  return found?.map((one) => ({
    id: 'identifier' in one ? one.identifier : one.id,
    name: 'display_name' in one ? one.display_name : one.name,
  }))
}

const debounceMs = 300

function useDebounced(text: string): string {
  const [value, setValue] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setValue(text), debounceMs)
    return () => clearTimeout(timer)
  }, [text])
  return value
}

function NameForm({ filter: { kind, name, label }, onApply }: FormProps<NameFilter>): ReactNode {
  const [text, setText] = useState('')
  return (
    <div>
      <label className="field">
        <span>{label}</span>
        <input
          className="input"
          type="search"
          autoFocus
          placeholder="Part of its name"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Suggestions kind={kind} search={text.trim()} onChoose={(id) => onApply({ [name]: id })} />
    </div>
  )
}

interface SuggestionsProps {
  readonly kind: keyof typeof sources
  readonly search: string
  readonly onChoose: (id: string) => void
}

function Suggestions({ kind, search, onChoose }: SuggestionsProps): ReactNode {
  const suggestions = useSuggestions(kind, useDebounced(search))
  if (suggestions === undefined) return <Loading rows={1} label="Loading…" />
  if (suggestions.length === 0) return <p className="soft">No match. Try a shorter name.</p>
  return (
    <ul className="options">
      {suggestions.map(({ id, name }) => (
        <li key={id}>
          <button type="button" title={id} onClick={() => onChoose(id)}>
            {sanitizeName(name)} <code className="soft">{shorten(`0x${id.split('.')[1] ?? ''}`)}</code>
          </button>
        </li>
      ))}
    </ul>
  )
}

export interface Order {
  /** Parameter in the URL and of the API. */
  readonly sort: string
  readonly label: string
  readonly isAscending?: boolean
}

export interface ListSorting extends Sorting {
  readonly orders: readonly Order[]
}

/** From the URL; the first is the default. */
export function useSorting(orders: readonly [Order, ...Order[]]): ListSorting {
  const chosen = new URLSearchParams(useLocation().search).get('sort')
  const { sort, isAscending = false } = orders.find((order) => order.sort === chosen) ?? orders[0]
  return {
    order: sort,
    isAscending,
    orders,
    onSort: (order) => setValues({ sort: order === orders[0].sort ? '' : order }),
  }
}

/** Table headers sort too, but cards have none. */
export function SortSelect({ sorting: { order, orders, onSort } }: { readonly sorting: ListSorting }): ReactNode {
  return (
    <label className="sort-select">
      <span className="soft">Sort by</span>
      <select className="input" value={order} onChange={({ target }) => onSort(target.value)}>
        {orders.map(({ sort, label }) => (
          <option key={sort} value={sort}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}
