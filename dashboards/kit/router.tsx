import { useSyncExternalStore } from 'react'
import type { ComponentProps, ReactNode } from 'react'

/** Where one is: the path and the query of the address. */
interface Place {
  readonly path: string
  readonly search: string
  /** Counts the pages that were gone to, so that a page knows whether it is the first. */
  readonly visits: number
}

const listeners = new Set<() => void>()
let place: Place = { path: location.pathname, search: location.search, visits: 0 }

function arrive(): void {
  const isOther = location.pathname !== place.path
  place = { path: location.pathname, search: location.search, visits: place.visits + (isOther ? 1 : 0) }
  for (const listener of listeners) listener()
}

window.addEventListener('popstate', arrive)

/** Goes to another part of the page; with `isReplacing` the way back skips where one was. */
export function navigate(to: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  const before = location.pathname
  if (isReplacing) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  arrive()
  if (location.pathname !== before) window.scrollTo(0, 0)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place)
}

/** One value of the address' query, and how to change it; empty takes it out. */
export function useSearchValue(name: string): readonly [string, (value: string) => void] {
  const { path, search } = usePlace()
  const set = (value: string): void => {
    const values = new URLSearchParams(location.search)
    if (value === '') values.delete(name)
    else values.set(name, value)
    navigate(values.size === 0 ? path : `${path}?${values.toString()}`, { isReplacing: true })
  }
  return [new URLSearchParams(search).get(name) ?? '', set]
}

/** The values of a pattern such as `/block/{height}` in a path; undefined where it does not fit. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(?<=.)\/+$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const values: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const text = given[i] ?? ''
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined && part !== text) return undefined
    if (name === undefined) continue
    try {
      values[name] = decodeURIComponent(text)
    } catch (error) {
      if (error instanceof URIError) return undefined
      throw error
    }
    if (values[name] === '') return undefined
  }
  return values
}

interface LinkProps extends ComponentProps<'a'> {
  readonly to: string
}

/** A link to another part of the page; what opens a new tab or a menu is left to the browser. */
export function Link({ to, onClick, children, ...rest }: LinkProps): ReactNode {
  return (
    <a
      href={to}
      onClick={(event) => {
        onClick?.(event)
        const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
        if (event.defaultPrevented || !isPlain) return
        event.preventDefault()
        navigate(to)
      }}
      {...rest}
    >
      {children}
    </a>
  )
}
