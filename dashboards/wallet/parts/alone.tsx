import type { ReactNode } from 'react'
import { Brand } from '../../kit/brand.tsx'
import { ThemeToggle } from '../../kit/theme-toggle.tsx'

/** One thing in the middle of the page, for those who are not in the wallet (yet). */
export function Alone({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="alone">
      <header>
        <Brand />
        <ThemeToggle />
      </header>
      <main id="main" className="panel alone-panel">
        {children}
      </main>
    </div>
  )
}
