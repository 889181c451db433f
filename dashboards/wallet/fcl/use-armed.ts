import { useEffect, useState } from 'react'

const armMs = 1000

/**
 * Whether somebody has had the time to see what this window shows: it has been in front, with the focus, for a second. A window that comes up under a
 * click which was meant for another one does nothing by it.
 */
export function useArmed(): boolean {
  const [isArmed, setIsArmed] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = (): void => {
      clearTimeout(timer)
      setIsArmed(false)
      if (document.visibilityState === 'visible' && document.hasFocus())
        timer = setTimeout(() => setIsArmed(true), armMs)
    }
    look()
    window.addEventListener('focus', look)
    window.addEventListener('blur', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('focus', look)
      window.removeEventListener('blur', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isArmed
}
