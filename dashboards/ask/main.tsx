import { startPage } from '../kit/start-page.tsx'
import './ask.css'
import './dashboards/dashboards.css'
import { queryClient } from './api.ts'
import { App } from './app.tsx'

startPage({ app: <App />, queryClient })
