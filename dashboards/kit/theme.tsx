import { useState } from 'react'
import type { ReactNode } from 'react'
import { keptIn } from './browser.ts'
import { Button, Icon } from './controls.tsx'

/** Light, dark, or as the system has it. */
type Theme = 'system' | 'light' | 'dark'

const key = 'flowfarm-theme'

/** The choice that was kept; the system's where there is none, or where the browser keeps nothing. */
export function readTheme(): Theme {
  const kept = keptIn('localStorage')?.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Shows the page in a theme and keeps the choice for the next visit. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme']
    keptIn('localStorage')?.removeItem(key)
  } else {
    document.documentElement.dataset['theme'] = theme
    keptIn('localStorage')?.setItem(key, theme)
  }
}

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const looks = {
  system: { icon: 'system', name: 'as the system has it' },
  light: { icon: 'sun', name: 'light' },
  dark: { icon: 'moon', name: 'dark' },
} as const

/** A button that goes through the themes. */
export function ThemeToggle(): ReactNode {
  const [theme, setTheme] = useState(readTheme)
  const change = (): void => {
    applyTheme(next[theme])
    setTheme(next[theme])
  }
  return (
    <Button
      look="plain"
      isIcon
      aria-label={`Theme: ${looks[theme].name}. Change to ${looks[next[theme]].name}`}
      title={`Theme: ${looks[theme].name}`}
      onClick={change}
    >
      <Icon name={looks[theme].icon} />
    </Button>
  )
}
