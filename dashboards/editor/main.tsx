import { isRetryable } from '../auth/auth-service.ts'
import { createQueryClient } from '../kit/query-client.ts'
import { startPage } from '../kit/start-page.tsx'
import '../auth/auth.css'
import './editor.css'
import { App } from './app.tsx'

startPage({ app: <App />, queryClient: createQueryClient({ mayRecover: isRetryable }) })
