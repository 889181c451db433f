import { useCallback, useEffect, useRef } from 'react'

/** @returns begins something, with the signal that is aborted when what shows it goes, such as when somebody else signs in: nothing is answered then */
export function useLeaving(): () => AbortSignal {
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(new DOMException('The window shows something else.', 'AbortError')), [])
  return useCallback(() => {
    running.current = new AbortController()
    return running.current.signal
  }, [])
}
