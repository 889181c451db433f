import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { applyTheme, readTheme } from './theme.ts'
import type { Theme } from './theme.ts'

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
