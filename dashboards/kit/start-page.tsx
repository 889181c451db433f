import { QueryClientProvider } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { StrictMode } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import './base.css'
import './controls.css'
import './data.css'
import { ErrorBoundary } from './state.tsx'
import { applyTheme, readTheme } from './theme.tsx'
import { ToastProvider } from './toast.tsx'

interface PageParts {
  readonly app: ReactNode
  readonly queryClient: QueryClient
  readonly name?: string
  readonly hint?: string
}

export function startPage({
  app,
  queryClient,
  name = 'This page',
  hint = 'The server is not affected. Reload the page.',
}: PageParts): void {
  applyTheme(readTheme())
  const root = document.getElementById('root')
  if (root === null) throw new Error('The page has no root element.')
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <ErrorBoundary what={name} hint={hint}>
            {app}
          </ErrorBoundary>
        </ToastProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}
