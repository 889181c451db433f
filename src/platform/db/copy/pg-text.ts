/** U+0000 is the one character that PostgreSQL's text cannot hold; it is stored as these six characters. */
const visibleNul = String.raw`\u0000`

/** `text` as PostgreSQL can store it: U+0000 made visible, half a surrogate pair replaced by U+FFFD. */
export function pgText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', visibleNul) : wellFormed
}
