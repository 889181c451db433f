import type { ReactNode } from 'react'
import { useSyncExternalStore, useEffect, useState } from 'react'
import { formatAge, formatAgo, formatTime } from './formats.ts'

export function Age({ since }: { readonly since: string }): ReactNode {
  const now = useNow()
  return (
    <time className="nowrap" dateTime={since} title={formatTime(since)}>
      {formatAge(since, now)}
    </time>
  )
}

export function Ago({ at }: { readonly at: string }): ReactNode {
  const now = useNow()
  return (
    <time className="nowrap" dateTime={at} title={formatTime(at)}>
      {formatAgo(at, now)}
    </time>
  )
}

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const each of listeners) each()
    }, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** ms, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

const tickMs = 100

/** Since a time in ms, with one decimal. */
export function useElapsed(since: number): string {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return (Math.max(0, now - since) / 1000).toFixed(1)
}
