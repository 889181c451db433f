/** Light, dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'flowfarm-theme'

/** The choice that was kept; the system's where there is none, or where the browser keeps nothing. */
export function readTheme(): Theme {
  const kept = storage()?.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Shows the page in a theme and keeps the choice for the next visit. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme']
    storage()?.removeItem(key)
  } else {
    document.documentElement.dataset['theme'] = theme
    storage()?.setItem(key, theme)
  }
}

/** A browser that is told to keep nothing throws on the mere question. */
function storage(): Storage | undefined {
  try {
    return window.localStorage
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
