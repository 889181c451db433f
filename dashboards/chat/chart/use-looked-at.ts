import { useState } from 'react'
import type { KeyboardEvent } from 'react'

export interface LookedAt {
  /** The place that is looked at, by pointer or keys; none at first. */
  readonly at: number | undefined
  readonly look: (place: number | undefined) => void
  /** For an element that has the focus: arrows, Home and End. */
  readonly press: (event: KeyboardEvent) => void
}

/** Which of some places a person looks at. */
export function useLookedAt(count: number): LookedAt {
  const [looked, setLooked] = useState<number>()
  const last = count - 1
  const at = looked === undefined || looked > last ? undefined : looked
  const press = (event: KeyboardEvent): void => {
    const targets: Record<string, number> = {
      ArrowLeft: (at ?? 1) - 1,
      ArrowUp: (at ?? 1) - 1,
      ArrowRight: (at ?? -1) + 1,
      ArrowDown: (at ?? -1) + 1,
      Home: 0,
      End: last,
    }
    const target = targets[event.key]
    if (target === undefined || last < 0) return
    event.preventDefault()
    setLooked(Math.max(0, Math.min(last, target)))
  }
  return { at, look: setLooked, press }
}
