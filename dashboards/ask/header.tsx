import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { ThemeToggle } from '../kit/theme-toggle.tsx'
import { Brand } from '../kit/brand.tsx'
import { useHealth } from './queries.ts'
import { TokenDialog } from './token-dialog.tsx'
import { setToken, useToken } from '../kit/token.ts'

/** What page it is, the documentation, and the token where one is wanted. */
export function Header(): ReactNode {
  const { data: health } = useHealth()
  const token = useToken()
  const [isEntering, setIsEntering] = useState(false)
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <nav aria-label="For programs">
          <a href="/docs">API</a>
          <a href="/openapi.json" className="wide-only">
            OpenAPI
          </a>
        </nav>
        {health?.needs_token === true && (
          <Button isSmall onClick={() => (token === undefined ? setIsEntering(true) : setToken(undefined))}>
            {token === undefined ? 'Enter token' : 'Forget token'}
          </Button>
        )}
        <ThemeToggle />
      </div>
      {isEntering && <TokenDialog onClose={() => setIsEntering(false)} />}
    </header>
  )
}
