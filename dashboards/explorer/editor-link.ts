const localHosts = ['localhost', '127.0.0.1', '[::1]']

/** Undefined without an editor that this browser can reach. */
export function readEditorUrl(html: Document, host: string): string | undefined {
  const url = html.querySelector<HTMLMetaElement>('meta[name=editor-url]')?.content
  if (url === undefined) return undefined
  return localHosts.includes(new URL(url).hostname) && !localHosts.includes(host) ? undefined : url
}

/** The fragment stays in the browser, so that its length is not limited by servers. */
export function editorLink(editorUrl: string, code: string): string {
  return `${editorUrl}#code=${encodeURIComponent(code)}`
}
