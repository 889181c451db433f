import type { ReactNode } from 'react'
import { Icon } from '../kit/icon.tsx'
import { ThemeToggle } from '../kit/theme-toggle.tsx'
import { Brand } from './brand.tsx'

export interface NoticeProps {
  readonly title: string
  readonly tone?: 'neutral' | 'bad'
  readonly isAlert?: boolean
  readonly children: ReactNode
}

/** A page with one thing to say. */
export function Notice({ title, tone = 'neutral', isAlert = false, children }: NoticeProps): ReactNode {
  return (
    <Alone>
      <div className={`notice ${tone}`} role={isAlert ? 'alert' : 'status'}>
        {tone === 'bad' && <Icon name="alert" size={20} />}
        <h1>{title}</h1>
        <p className="soft">{children}</p>
      </div>
    </Alone>
  )
}

/** A card in the middle of an otherwise empty page. */
export function Alone({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="alone">
      <header>
        <Brand />
        <ThemeToggle />
      </header>
      <main>{children}</main>
    </div>
  )
}
