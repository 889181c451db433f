import { useSyncExternalStore } from 'react'

const key = 'flowfarm-ask-token'
const listeners = new Set<() => void>()
let token: string | undefined = storage()?.getItem(key) ?? undefined

/** The bearer token of this tab, if one was entered. */
export function readToken(): string | undefined {
  return token
}

/** Keeps the token until the tab is closed; `undefined` forgets it. */
export function setToken(given: string | undefined): void {
  token = given
  if (given === undefined) storage()?.removeItem(key)
  else storage()?.setItem(key, given)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useToken(): string | undefined {
  return useSyncExternalStore(subscribe, readToken)
}

/** A browser that is told to keep nothing throws on the mere question. */
function storage(): Storage | undefined {
  try {
    return window.sessionStorage
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
