import { useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** The width of an element in whole pixels, which follows the element; `first` until it is laid out. */
export function useWidth<Of extends HTMLElement>(first: number): readonly [RefObject<Of | null>, number] {
  const element = useRef<Of>(null)
  const [width, setWidth] = useState(first)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    if (element.current !== null) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
