import { keptIn } from './kept.ts'

/** Light, dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark'

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
