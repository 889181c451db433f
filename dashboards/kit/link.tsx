import type { ComponentProps, ReactNode } from 'react'
import { navigate } from './router.ts'

export interface LinkProps extends ComponentProps<'a'> {
  readonly to: string
}

/** A link to another part of the page; what opens a new tab or a menu is left to the browser. */
export function Link({ to, onClick, children, ...rest }: LinkProps): ReactNode {
  return (
    <a
      href={to}
      onClick={(event) => {
        onClick?.(event)
        const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
        if (event.defaultPrevented || !isPlain) return
        event.preventDefault()
        navigate(to)
      }}
      {...rest}
    >
      {children}
    </a>
  )
}
