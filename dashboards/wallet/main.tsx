import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { QueryClientProvider } from '@tanstack/react-query'
import '../kit/base.css'
import '../kit/controls.css'
import '../kit/data.css'
import '../auth/auth.css'
import './wallet.css'
import { applyTheme, readTheme } from '../kit/theme.tsx'
import { ErrorBoundary } from '../kit/state.tsx'
import { ToastProvider } from '../kit/toast.tsx'
import { App } from './app.tsx'
import { createQueryClient } from './own.ts'

applyTheme(readTheme())
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element for its content.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <ToastProvider>
        <ErrorBoundary
          what="The wallet"
          hint="Your accounts and passkeys are as they were: neither is kept by this page."
        >
          <App />
        </ErrorBoundary>
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
)
