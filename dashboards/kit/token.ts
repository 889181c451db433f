import { useSyncExternalStore } from 'react'
import { keptIn } from './browser.ts'

const key = 'flowfarm-ask-token'
const listeners = new Set<() => void>()
let token: string | undefined = keptIn('sessionStorage')?.getItem(key) ?? undefined

/** The bearer token of this tab, if one was entered. */
export function readToken(): string | undefined {
  return token
}

/** Keeps the token until the tab is closed; `undefined` forgets it. */
export function setToken(given: string | undefined): void {
  token = given
  if (given === undefined) keptIn('sessionStorage')?.removeItem(key)
  else keptIn('sessionStorage')?.setItem(key, given)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useToken(): string | undefined {
  return useSyncExternalStore(subscribe, readToken)
}
