import { useSyncExternalStore } from 'react'
import { browserStorage } from './browser.ts'

const key = 'flowfarm-ask-token'
const listeners = new Set<() => void>()
let token: string | undefined = browserStorage('sessionStorage')?.getItem(key) ?? undefined

export function readToken(): string | undefined {
  return token
}

export function setToken(value: string | undefined): void {
  token = value
  if (value === undefined) browserStorage('sessionStorage')?.removeItem(key)
  else browserStorage('sessionStorage')?.setItem(key, value)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useToken(): string | undefined {
  return useSyncExternalStore(subscribe, readToken)
}
