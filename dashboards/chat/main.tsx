import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { startPage } from '../kit/start-page.tsx'
import './chat.css'
import { App } from './app.tsx'
import { queryClient } from './settings.ts'
import { SharedPage } from './shared-page.tsx'
import { sharedToken } from './shares.ts'

function Page(): ReactNode {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const move = (): void => setPath(location.pathname)
    addEventListener('popstate', move)
    return () => removeEventListener('popstate', move)
  }, [])
  const open = (address: string): void => {
    history.pushState(null, '', address)
    setPath(location.pathname)
  }
  const token = sharedToken(path)
  return token === undefined ? <App /> : <SharedPage key={token} token={token} onOpen={open} />
}

startPage({ app: <Page />, queryClient })
