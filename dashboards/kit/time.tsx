import type { ReactNode } from 'react'
import { useSyncExternalStore, useEffect, useState } from 'react'
import { formatAge, formatAgo, formatTime } from './formats.ts'

/** Age, updated every second; exact time on hover. */
export function Age({ since }: { readonly since: string }): ReactNode {
  const now = useNow()
  return (
    <time className="nowrap" dateTime={since} title={formatTime(since)}>
      {formatAge(since, now)}
    </time>
  )
}

/** Relative time: `4 min ago`, `in 3 h`. */
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
    // The clock stops without subscribers.
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

/** Current time in ms, updated every second and shared by the page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

const tickMs = 100

/** Seconds since a time in ms, with one decimal, kept current. */
export function useElapsed(since: number): string {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return (Math.max(0, now - since) / 1000).toFixed(1)
}
