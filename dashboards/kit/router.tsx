import { useSyncExternalStore } from 'react'
import type { ComponentProps, ReactNode } from 'react'

interface Location {
  readonly path: string
  readonly search: string
  readonly navigations: number
}

const listeners = new Set<() => void>()
let current: Location = { path: location.pathname, search: location.search, navigations: 0 }

function update(): void {
  const isOther = location.pathname !== current.path
  const navigations = current.navigations + (isOther ? 1 : 0)
  current = { path: location.pathname, search: location.search, navigations }
  for (const listener of listeners) listener()
}

window.addEventListener('popstate', update)

export function navigate(to: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  const before = location.pathname
  if (isReplacing) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  update()
  if (location.pathname !== before) window.scrollTo(0, 0)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useLocation(): Location {
  return useSyncExternalStore(subscribe, () => current)
}

export function useSearchValue(name: string): readonly [string, (value: string) => void] {
  const { path, search } = useLocation()
  const set = (value: string): void => {
    const values = new URLSearchParams(location.search)
    if (value === '') values.delete(name)
    else values.set(name, value)
    navigate(values.size === 0 ? path : `${path}?${values.toString()}`, { isReplacing: true })
  }
  return [new URLSearchParams(search).get(name) ?? '', set]
}

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
