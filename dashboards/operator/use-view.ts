import { useCallback, useSyncExternalStore } from 'react'
import { parseView, formatView } from './view.ts'
import type { View } from './view.ts'

let view = parseView(window.location.search)

const listeners = new Set<() => void>()

export function show(next: View): void {
  view = next
  for (const listener of listeners) listener()
}

window.addEventListener('popstate', () => show(parseView(window.location.search)))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useView(): [View, (change: Partial<View>) => void] {
  const current = useSyncExternalStore(subscribe, () => view)
  const change = useCallback((part: Partial<View>) => {
    const next = { ...view, ...part }
    const search = formatView(next)
    if (search !== window.location.search) window.history.pushState(null, '', `${window.location.pathname}${search}`)
    show(next)
  }, [])
  return [current, change]
}
