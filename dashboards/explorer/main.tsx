import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { QueryClientProvider } from '@tanstack/react-query'
import '../kit/base.css'
import '../kit/controls.css'
import '../kit/data.css'
import './explorer.css'
import './parts.css'
import { applyTheme, readTheme } from '../kit/theme.ts'
import { ToastProvider } from '../kit/toast.tsx'
import { App } from './app.tsx'
import { queryClient } from './query-client.ts'
import { retryFailed } from './retry-failed.ts'

applyTheme(readTheme())
retryFailed(queryClient)
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element for its content.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <App />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
)
