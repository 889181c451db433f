const colours = { well: '%232f9e55', trouble: '%23dc3b30' } as const

/** The sign in the browser's tab: red while somebody is needed, so that it is seen among other tabs. */
export function showFavicon(state: keyof typeof colours): void {
  const link =
    document.querySelector<HTMLLinkElement>('link[rel=icon]') ??
    document.head.appendChild(document.createElement('link'))
  link.rel = 'icon'
  link.type = 'image/svg+xml'
  const bars = ["y='2' width='16'", "y='7.3' width='16'", "y='12.6' width='9'"]
    .map((bar) => `<rect x='1' height='3.4' rx='1.7' ${bar}/>`)
    .join('')
  link.href = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18' fill='${colours[state]}'>${bars}</svg>`
}
