import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import uPlot from 'uplot'
import { QueryClient } from '@tanstack/react-query'
console.log(uPlot, QueryClient)
createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode><p>x</p></StrictMode>)
