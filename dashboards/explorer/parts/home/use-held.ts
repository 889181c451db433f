import { useState } from 'react'
import type { FocusEvent, PointerEvent } from 'react'

/** What goes on by itself, and how to have it stand still. */
export interface Held<Value> {
  /** What it was when it began to stand still; what it is now while it goes on. */
  readonly shown: Value
  /** Why it stands still: it was asked to, or somebody is about to take something of it. */
  readonly by: 'button' | 'pointing' | undefined
  readonly toggle: () => void
  /** For the part of the page that moves: nothing gets away from under a mouse or from the keyboard. */
  readonly handlers: {
    readonly onPointerEnter: (event: PointerEvent) => void
    readonly onPointerLeave: () => void
    readonly onFocus: () => void
    readonly onBlur: (event: FocusEvent) => void
  }
}

export function useHeld<Value>(now: Value): Held<Value> {
  const [held, setHeld] = useState<{ readonly value: Value; readonly by: 'button' | 'pointing' }>()
  const point = (): void => setHeld(held ?? { value: now, by: 'pointing' })
  const letGo = (): void => {
    if (held?.by === 'pointing') setHeld(undefined)
  }
  return {
    shown: held === undefined ? now : held.value,
    by: held?.by,
    toggle: () => setHeld(held?.by === 'button' ? undefined : { value: held?.value ?? now, by: 'button' }),
    handlers: {
      onPointerEnter: ({ pointerType }) => {
        if (pointerType === 'mouse') point()
      },
      onPointerLeave: letGo,
      onFocus: point,
      onBlur: ({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) letGo()
      },
    },
  }
}
