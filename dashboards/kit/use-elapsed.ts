import { useEffect, useState } from 'react'

const everyMs = 100

/** Seconds since a time in ms, with tenths, kept current. */
export function useElapsed(since: number): string {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [])
  return (Math.max(0, now - since) / 1000).toFixed(1)
}
