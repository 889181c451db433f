/** What explanations of a language server may be made of. */
const allowed = new Set([
  'P',
  'BR',
  'HR',
  'PRE',
  'CODE',
  'SPAN',
  'EM',
  'STRONG',
  'B',
  'I',
  'UL',
  'OL',
  'LI',
  'BLOCKQUOTE',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
  'DEL',
  'TABLE',
  'THEAD',
  'TBODY',
  'TR',
  'TH',
  'TD',
  'A',
])
const dropped = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'IFRAME', 'OBJECT', 'EMBED', 'SVG', 'MATH', 'FORM', 'NOSCRIPT'])

/**
 * Leaves of HTML only what text is made of. The code of contracts was written by strangers, and its comments come back as explanations. Elements that are not
 * allowed leave their text behind; attributes are none but the class of a piece of code and a link to another site.
 */
export function sanitizeHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  clean(body)
  return body.innerHTML
}

function clean(parent: Element): void {
  for (const element of Array.from(parent.children)) {
    const name = element.tagName.toUpperCase()
    if (dropped.has(name) || element.namespaceURI !== 'http://www.w3.org/1999/xhtml') {
      element.remove()
      continue
    }
    clean(element)
    if (allowed.has(name)) cleanAttributes(element)
    else element.replaceWith(...element.childNodes)
  }
  for (const node of Array.from(parent.childNodes)) if (node.nodeType === Node.COMMENT_NODE) node.remove()
}

function cleanAttributes(element: Element): void {
  for (const { name, value } of Array.from(element.attributes)) {
    const isLink = element.tagName === 'A' && name === 'href' && /^https?:\/\//i.test(value)
    if (!isLink && !(element.tagName === 'SPAN' && name === 'class')) element.removeAttribute(name)
  }
  if (!element.hasAttribute('href')) return
  element.setAttribute('rel', 'noreferrer noopener')
  element.setAttribute('target', '_blank')
}
