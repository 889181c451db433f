/**
 * What two paths have in common that some file system, or somebody who looks at them, takes for the same: neither upper case nor compatible
 * forms of characters (Ａ, ﬁ, ²) make a difference. A key is its own key.
 */
export function pathKey(path: string): string {
  // Most paths are plain, and a save asks for hundreds.
  if (/^[ -~]*$/.test(path)) return path.toLowerCase()
  let key = folded(path)
  // A few characters need a second turn: their lower case has a compatible form of its own.
  for (let next = folded(key); next !== key; next = folded(key)) key = next
  return key
}

/** Upper case first: ß is SS there, and both sigmas are one. The sigma of the end of a word comes back by `toLowerCase`. */
function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')
}

/** `a/b/c.cdc`: `a`, `a/b`. */
export function foldersAbove(path: string): string[] {
  const segments = path.split('/')
  return segments.slice(1).map((_, i) => segments.slice(0, i + 1).join('/'))
}
