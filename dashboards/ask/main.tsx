import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { QueryClientProvider } from '@tanstack/react-query'
import '../kit/base.css'
import '../kit/controls.css'
import '../kit/data.css'
import './ask.css'
import { applyTheme, readTheme } from '../kit/theme.tsx'
import { ToastProvider } from '../kit/toast.tsx'
import { App } from './app.tsx'
import { queryClient } from './api.ts'

applyTheme(readTheme())
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
