import { isRetryable } from '../auth/auth-service.ts'
import { createQueryClient } from '../kit/query-client.ts'
import { startPage } from '../kit/start-page.tsx'
import '../auth/auth.css'
import './wallet.css'
import { App } from './app.tsx'

startPage({
  app: <App />,
  queryClient: createQueryClient({ mayRecover: isRetryable }),
  name: 'The wallet',
  hint: 'Your accounts and passkeys are not affected.',
})
