import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

export interface Follow {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** Whether what is written now is out of sight. */
  readonly isAway: boolean
  readonly toEnd: () => void
}

/** So near to the end counts as at the end, px. */
const nearPx = 60

/**
 * Keeps the end of what grows in sight, for as long as the person does not look elsewhere: whoever scrolls up is left alone until
 * they come back to the end, or say so.
 */
export function useFollow(): Follow {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  const [isAway, setIsAway] = useState(false)
  const toEnd = useCallback((): void => {
    isFollowing.current = true
    setIsAway(false)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [])
  useLayoutEffect(() => {
    const [place, inner] = [scroller.current, content.current]
    if (place === null || inner === null) return
    let top = place.scrollTop
    const scrolled = (): void => {
      const isAtEnd = place.scrollHeight - place.scrollTop - place.clientHeight < nearPx
      // What grows does not scroll up: only a person does.
      if (isAtEnd) isFollowing.current = true
      else if (place.scrollTop < top) isFollowing.current = false
      top = place.scrollTop
      setIsAway(!isAtEnd && !isFollowing.current)
    }
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) place.scrollTo({ top: place.scrollHeight, behavior: 'instant' })
      else setIsAway(place.scrollHeight - place.scrollTop - place.clientHeight >= nearPx)
    })
    // Whoever opens something looks at it: what it makes grow does not take it out of sight.
    const clicked = ({ target }: MouseEvent): void => {
      if (target instanceof Element && target.closest('button') !== null) isFollowing.current = false
    }
    place.addEventListener('scroll', scrolled, { passive: true })
    inner.addEventListener('click', clicked, { capture: true })
    observer.observe(inner)
    observer.observe(place)
    return () => {
      place.removeEventListener('scroll', scrolled)
      inner.removeEventListener('click', clicked, { capture: true })
      observer.disconnect()
    }
  }, [])
  return { scroller, content, isAway, toEnd }
}
