/** What the browser keeps for the page: for good, or until the tab is closed. A browser that is told to keep nothing throws on the mere question. */
export function keptIn(place: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return window[place]
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
