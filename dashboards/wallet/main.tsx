import { mayPass } from '../auth/auth-service.ts'
import { createQueryClient } from '../kit/query-client.ts'
import { startPage } from '../kit/start-page.tsx'
import '../auth/auth.css'
import './wallet.css'
import { App } from './app.tsx'

startPage({
  app: <App />,
  queryClient: createQueryClient({ mayRecover: mayPass }),
  name: 'The wallet',
  hint: 'Your accounts and passkeys are as they were: neither is kept by this page.',
})
