import { startPage } from '../kit/start-page.tsx'
import './chat.css'
import { App } from './app.tsx'
import { queryClient } from './settings.ts'

startPage({ app: <App />, queryClient })
