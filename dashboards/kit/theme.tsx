import { useState } from 'react'
import type { ReactNode } from 'react'
import { browserStorage } from './browser.ts'
import { Button, Icon } from './controls.tsx'

type Theme = 'system' | 'light' | 'dark'

const key = 'flowfarm-theme'

export function readTheme(): Theme {
  const saved = browserStorage('localStorage')?.getItem(key)
  return saved === 'light' || saved === 'dark' ? saved : 'system'
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme']
    browserStorage('localStorage')?.removeItem(key)
  } else {
    document.documentElement.dataset['theme'] = theme
    browserStorage('localStorage')?.setItem(key, theme)
  }
}

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const looks = {
  system: { icon: 'system', name: 'system' },
  light: { icon: 'sun', name: 'light' },
  dark: { icon: 'moon', name: 'dark' },
} as const

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
